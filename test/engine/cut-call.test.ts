import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { salvageWrite } from '../../src/engine/cut-call.ts'

describe('keeps the complete lines', () => {
  test('of content that stops in the middle of a line', () => {
    expect(salvageWrite('{"path":"a.ts","content":"const a = 1\\nconst b = 2\\nconst c')).toEqual({
      path: 'a.ts',
      content: 'const a = 1\nconst b = 2\n',
    })
  })

  test('of content that stops in the middle of an escape', () => {
    expect(salvageWrite('{ "path" : "a.ts", "content": "say \\"hi\\"\\n\\u00e9t\\u00e')).toEqual({
      path: 'a.ts',
      content: 'say "hi"\n',
    })
  })

  test('of content that was finished before the cut', () => {
    expect(salvageWrite('{"path":"a.ts","content":"one line","overwr')).toEqual({
      path: 'a.ts',
      content: 'one line',
    })
  })

  test('past other arguments', () => {
    expect(
      salvageWrite('{"overwrite": true, "tags": ["}", {"a": 1}], "file_path": "a.ts", "content": "x\\ny'),
    ).toEqual({
      path: 'a.ts',
      content: 'x\n',
    })
  })

  test('with raw line ends in the string', () => {
    expect(salvageWrite('{"path":"a.ts","content":"one\ntwo\nthr')).toEqual({
      path: 'a.ts',
      content: 'one\ntwo\n',
    })
  })
})

test.each([
  ['append is known', '{"path":"a.ts","append":true,"content":"x\\ny', { append: true }],
  ['append as text', '{"path":"a.ts","append":"true","content":"x\\ny', { append: true }],
  ['append is refused', '{"path":"a.ts","append":false,"content":"x\\ny', {}],
  ['append is cut', '{"path":"a.ts","content":"x\\n","append":tr', {}],
])('%s: it is kept only where it was read', (_, input, more) => {
  expect(salvageWrite(input)).toEqual({ path: 'a.ts', content: 'x\n', ...more })
})

describe('saves nothing', () => {
  test.each([
    ['without a complete line', '{"path":"a.ts","content":"const a'],
    ['without a path', '{"content":"a\\nb\\nc'],
    ['when the path itself is cut', '{"content":"a\\nb\\n","path":"src/lo'],
    ['when the path is empty', '{"path":"","content":"a\\nb'],
    ['without content', '{"path":"a.ts"'],
    ['from no object', '["path", "content"]'],
    ['from nothing', ''],
  ])('%s', (_, input) => {
    expect(salvageWrite(input)).toBeUndefined()
  })
})

test('wherever a call is cut, what is saved is a beginning of what was meant', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\t', 'é', '😀', '{', '}', ','),
    maxLength: 60,
  })

  fc.assert(
    fc.property(text, fc.nat(200), (content, at) => {
      const whole = JSON.stringify({ path: 'a.ts', content })

      const saved = salvageWrite(whole.slice(0, at))

      expect(saved === undefined || content.startsWith(saved.content)).toBe(true)
      expect(saved === undefined || saved.content === content || saved.content.endsWith('\n')).toBe(true)
    }),
  )
})
