import { countTokens } from 'gpt-tokenizer'
import { describe, expect, test } from 'vitest'
import { declaredToolSchema, toDescription, toInput } from '../../src/mcp/declared.ts'
import { toToolName, uniqueName } from '../../src/mcp/names.ts'

const declared = (inputSchema: Record<string, unknown>, description = '') => ({
  name: 'go',
  description,
  inputSchema,
})

describe('descriptions', () => {
  test.each([
    ['English', 'Creates an issue in a repository and returns its number, its address and more. '],
    ['Chinese', '创建一个问题并返回它的编号和地址以及其他所有需要知道的内容'],
    ['German', 'Legt eine Überweisung über größere Beträge für Käufer an, prüft sie und schließt sie ab. '],
    ['emoji', '🛒'],
  ])('in %s take at most 40 tokens', (_, words) => {
    const text = words.repeat(20)

    const shown = toDescription(declared({}, text))

    expect(countTokens(shown)).toBeLessThanOrEqual(40)
    expect(text.startsWith(shown.replace(/…$/, ''))).toBe(true)
  })

  test('are one line without hidden characters', () => {
    expect(toDescription(declared({}, 'Ignore\n\n  all\u202E \u200Bof\u0007 it'))).toBe('Ignore all of it')
  })

  test('are never empty', () => {
    expect(toDescription(declared({}))).toBe('go')
  })
})

describe('schemas', () => {
  const schema = {
    type: 'object',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: {
      path: { type: 'string', pattern: '^(a+)+$' },
      mode: { enum: ['fast', 'slow'] },
      count: { type: 'integer', default: 3 },
      list: { type: 'array', items: { $ref: '#/$defs/item' } },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['path', 'missing'],
    additionalProperties: false,
  }
  const issuesOf = (input: unknown) =>
    toInput(declared(schema))
      .safeParse(input)
      .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)

  test('catch what is plainly wrong', () => {
    expect(issuesOf({})).toEqual(['path is missing'])
    expect(issuesOf({ path: 1, mode: 'quick', count: 1.5, list: {}, either: 1 })).toEqual([
      'path must be string',
      'mode must be one of fast, slow',
      'count must be integer',
      'list must be array',
      'either must be string or null',
    ])
  })

  test('pass everything else on as it was given, without running a pattern of theirs', () => {
    const input = {
      path: `${'a'.repeat(50_000)}!`,
      mode: 'fast',
      list: [{ any: 1 }],
      either: null,
      unknown: [1],
    }

    expect(toInput(declared(schema)).parse(input)).toEqual(input)
  })

  test('that are no schema at all take any arguments', () => {
    const odd = { type: 'object', properties: { a: 7, b: null, c: { type: 12 } }, required: 'a' }

    expect(toInput(declared(odd)).parse({ a: 'x', c: 1 })).toEqual({ a: 'x', c: 1 })
  })

  test('that are too large are refused', () => {
    const large = { name: 'go', inputSchema: { description: 'x'.repeat(70_000) } }

    expect(declaredToolSchema.safeParse(large).success).toBe(false)
  })
})

describe('names', () => {
  test.each([
    ['shop', 'add', 'mcp__shop__add'],
    ['my shop', 'näme/with.dots', 'mcp__my_shop__n_me_with_dots'],
    ['', '', 'mcp______'],
  ])('%s %s is %s', (server, tool, name) => {
    expect(toToolName(server, tool)).toBe(name)
  })

  test('are at most 64 letters, and long ones stay apart', () => {
    const names = ['a', 'b'].map((end) => toToolName('server', 'x'.repeat(100) + end))

    expect(names.map(({ length }) => length)).toEqual([64, 64])
    expect(new Set(names).size).toBe(2)
    expect(uniqueName(names[0]!, new Set(names))).toHaveLength(64)
  })
})
