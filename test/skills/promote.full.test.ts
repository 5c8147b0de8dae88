import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prepareCall } from '../../src/engine/prepare.ts'
import { AppError } from '../../src/protocol/error.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import { callTool } from '../tools/call.ts'
import { missing, named } from '../guard/with-sandbox.ts'
import { bench, hasPython, PYTHON, requireTool, TYPESCRIPT, withPython } from './functions.ts'

const unattended = (): never => {
  throw new AppError('permission-denied', 'No user is available to answer.')
}

const wishes = {
  python: { file: 'words.py', function: 'count_words', name: 'word_count', description: 'Count words' },
  typescript: { file: 'words.ts', function: 'countWords', name: 'word_count', description: 'Count words' },
}
const sources = { python: PYTHON, typescript: TYPESCRIPT }
const files = { 'words.py': PYTHON, 'words.ts': TYPESCRIPT }

type Wish = (typeof wishes)['python']

async function promoted(wish: Wish, isConfined = false) {
  const place = await bench(files, { isConfined })
  const tools = await place.tools()
  const said = await callTool(requireTool(tools(), 'promote_skill'), wish, place.context)
  return { ...place, said, list: tools }
}

describe.each(['python', 'typescript'] as const)('a function in %s', (language) => {
  const wish = wishes[language]
  const source = sources[language]
  const skip = language === 'python' && !hasPython

  test.skipIf(skip)(
    named(withPython('is a tool at once and in later sessions, with the schema of its types')),
    async () => {
      const { said, list, context, asked, tools } = await promoted(wish, true)

      const tool = requireTool(list(), 'word_count')
      const result = await callTool(tool, { text: 'a bb ccc', least: 2 }, context)
      const later = await callTool(requireTool((await tools())(), 'word_count'), { text: 'a bb' }, context)

      expect(said.text).toBe(
        'word_count is a tool now; its example ran. Call it as word_count{text, [least]}.',
      )
      expect([result, later]).toEqual([
        { ok: true, text: '2' },
        { ok: true, text: '2' },
      ])
      expect(toToolSchema(tool)).toMatchObject({
        name: 'word_count',
        description: 'Count words',
        parameters: {
          properties: {
            text: { type: 'string' },
            least: { type: language === 'python' ? 'integer' : 'number' },
          },
          required: ['text'],
        },
      })
      expect(asked).toHaveLength(1)
      expect(asked[0]?.question).toContain(source)
    },
  )
})

describe('a function', () => {
  const wish = wishes.typescript

  test.skipIf(!hasPython)(withPython('is described by the first line of its docstring only'), async () => {
    const { description: _, ...undescribed } = wishes.python
    const place = await bench(files)
    const list = await place.tools()

    await callTool(requireTool(list(), 'promote_skill'), undescribed, place.context)

    expect(requireTool(list(), 'word_count').description).toBe(
      'Count the words of a text that have at least so many letters.',
    )
  })

  test('is named as other agents name it: file_path, function_name, tool_name', async () => {
    const tools = (await (await bench(files)).tools())()
    const input = JSON.stringify({
      file_path: 'words.ts',
      function_name: 'countWords',
      tool_name: 'word_count',
    })

    const prepared = prepareCall(
      { id: 'call-1', name: 'promote_skill', input },
      { tools, options: {}, atLimit: false },
    )

    expect(prepared).toMatchObject({
      input: { file: 'words.ts', function: 'countWords', name: 'word_count' },
    })
  })

  test('is not promoted without a user to ask or with a refusal', async () => {
    for (const answer of ['no', unattended]) {
      const place = await bench(files, { answer })
      const list = await place.tools()

      const promotion = callTool(requireTool(list(), 'promote_skill'), wish, place.context)

      await expect(promotion).rejects.toMatchObject({ code: 'permission-denied' })
      expect(list().map(({ name }) => name)).toEqual(['promote_skill'])
      expect((await place.store.load()).functions).toEqual([])
    }
  })

  test('is asked for again once its code changed, and refused without a yes', async () => {
    const { tools, context, store, asked } = await promoted(wish)
    const folder = store.pathOf('word_count')
    const file = (await readdir(folder)).find((name) => name.startsWith('source-')) ?? ''
    const code = await readFile(join(folder, file), 'utf8')
    await writeFile(join(folder, file), code.replace(/return .*/, 'return 42'))
    const tool = requireTool((await tools())(), 'word_count')

    const denied = callTool(tool, { text: 'a' }, { ...context, ask: async () => 'no' })
    await expect(denied).rejects.toMatchObject({ code: 'permission-denied' })
    await expect(callTool(tool, { text: 'a' }, { ...context, ask: unattended })).rejects.toThrow('No user')
    const agreed = await callTool(tool, { text: 'a' }, context)
    const again = await callTool(tool, { text: 'a' }, { ...context, ask: unattended })

    expect([agreed.text, again.text]).toEqual(['42', '42'])
    expect(asked.at(-1)?.question).toContain('is not the one you agreed to')
  })

  test('takes the place of the one before it after a yes', async () => {
    const { list, context, root, asked } = await promoted(wish)
    await writeFile(join(root, wish.file), TYPESCRIPT.replace('>= least', '> least'))

    await callTool(requireTool(list(), 'promote_skill'), wish, context)

    const result = await callTool(requireTool(list(), 'word_count'), { text: 'a bb' }, context)
    expect(result).toEqual({ ok: true, text: '1' })
    expect(asked.at(-1)?.question).toContain('Replace the tool word_count')
    expect(list()).toHaveLength(2)
  })

  test.skipIf(missing !== undefined)(named('reaches nothing beyond the workspace'), async () => {
    const source = `import { readdirSync, writeFileSync } from 'node:fs'
/** D. @example reach('.', './x') */
export function reach(secret: string, outside: string): string[] {
  return [() => readdirSync(secret).join(), () => String(writeFileSync(outside, ''))].map((act) => {
    try { return act() } catch (error) { return String((error as NodeJS.ErrnoException).code) }
  })
}
`
    const { context, store, tools } = await bench({ 'reach.ts': source }, { isConfined: true })
    const list = await tools()
    const own = { file: 'reach.ts', function: 'reach', name: 'reach', description: 'd' }
    await callTool(requireTool(list(), 'promote_skill'), own, context)

    const outside = join(tmpdir(), `covey-${process.pid}-was-here`)
    const paths = { secret: store.pathOf('reach'), outside }
    const { text } = await callTool(requireTool(list(), 'reach'), paths, context)

    expect(JSON.parse(text)).toEqual([expect.stringMatching(/^(?:|EACCES|ENOENT)$/), expect.any(String)])
    expect(existsSync(outside)).toBe(false)
  })

  test.each([
    ['read_file', 'read_file is taken by the tool read_file'],
    ['readfile', 'readfile is taken by the tool read_file'],
    ['promote_skill', 'promote_skill is taken'],
    ['Count', 'is no name for a tool'],
    ['count words', 'is no name for a tool'],
    ['../x', 'is no name for a tool'],
  ])('is not called %s', async (name, problem) => {
    const place = await bench(files)
    const tool = requireTool((await place.tools())(), 'promote_skill')

    await expect(callTool(tool, { ...wish, name }, place.context)).rejects.toThrow(problem)
  })

  test('must lie inside the workspace', async () => {
    const place = await bench(files)
    const tool = requireTool((await place.tools())(), 'promote_skill')

    const promotion = callTool(tool, { ...wish, file: `../${wish.file}` }, place.context)

    await expect(promotion).rejects.toMatchObject({ code: 'permission-denied' })
  })

  test('that is too long to be looked at is refused', async () => {
    const place = await bench({ 'words.ts': `${TYPESCRIPT}// ${'x'.repeat(16_000)}\n` })
    const tool = requireTool((await place.tools())(), 'promote_skill')

    await expect(callTool(tool, wish, place.context)).rejects.toThrow('words.ts is over 16 kB')
  })

  test('whose manifest is damaged is named and left out', async () => {
    const { store, tools } = await promoted(wish)
    await writeFile(join(store.pathOf('word_count'), 'manifest.json'), '{"name":"word_count"}')

    const { functions, warnings } = await store.load()

    expect(functions).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('word_count is left out')])
    expect((await tools())().map(({ name }) => name)).toEqual(['promote_skill'])
  })
})

test.skipIf(!hasPython).each([
  ['does not parse', 'f.py', 'def f(:\n', 'line 1: SyntaxError: invalid syntax'],
  [
    'is not there',
    'f.py',
    'def g(): pass',
    'f cannot be a tool yet:\n- there is no function f at the top of the file; there are: g',
  ],
  [
    'is wrong in every way',
    'f.py',
    'def f(a, b: bytes, *c: int):\n    pass',
    [
      '- it takes *args, **kwargs or positional-only parameters; name every parameter',
      '- parameter a has no type; write one, such as a: str',
      '- the type of b, bytes, cannot come from JSON; use str, int, float, bool, list, dict, Optional, Union or Literal',
      '- it has no return type; write one, such as -> str',
      '- it has no docstring',
    ].join('\n'),
  ],
  ['has no example', 'f.py', 'def f() -> int:\n    """D."""\n    return 1', 'its docstring has no example'],
  [
    'raises in its example',
    'f.py',
    'def f() -> int:\n    """D.\n\n    Example: f()\n    """\n    raise ValueError("no")',
    'ValueError: no',
  ],
  [
    'breaks its promise',
    'f.py',
    'def f(a: int) -> int:\n    """D.\n\n    >>> f(1)\n    2\n    """\n    return a',
    'f(1) gave 1, its docstring says 2',
  ],
  [
    'needs another file of the project',
    'f.py',
    'import helper\ndef f() -> int:\n    """D.\n\n    >>> f()\n    """\n    return 1',
    "No module named 'helper'",
  ],
  ['does not parse', 'f.ts', 'export function f( {', 'the file does not parse'],
  ['is not exported', 'f.ts', 'function f(): void {}', 'there is no exported function f; exported are: none'],
  [
    'is wrong in every way',
    'f.ts',
    'export const f = (a, b: Map<string, number>, { c }: object) => a',
    [
      '- parameter a has no type; write one, such as a: string',
      '- the type of b, Map<string, number>, cannot come from JSON; use string, number, boolean, null, arrays, Record<string, …>, object types and unions of them',
      '- `{ c }: object` is no plain parameter; give it a name',
      '- it has no return type; write one, such as : string',
      '- it has no doc comment /** … */ right before it',
    ].join('\n'),
  ],
  ['has no example', 'f.ts', '/** D. */\nexport function f(): void {}', 'its doc comment has no @example'],
  [
    'throws in its example',
    'f.ts',
    '/** D. @example f() */\nexport function f(): number { throw new TypeError("no") }',
    'TypeError: no',
  ],
  [
    'breaks its promise',
    'f.ts',
    '/**\n * D.\n * @example\n * f(1) // => 2\n */\nexport function f(a: number): number { return a }',
    'f(1) gave 1, its documentation says 2',
  ],
])('a function that %s in %s is refused with what to do', async (_, file, source, problem) => {
  const place = await bench({ [file]: source, 'helper.py': '' })
  const tool = requireTool((await place.tools())(), 'promote_skill')

  const promotion = callTool(tool, { file, function: 'f', name: 'a_tool', description: 'd' }, place.context)

  await expect(promotion).rejects.toThrow(problem)
  expect(place.asked).toEqual([])
})

test('the first line of the documentation says what the tool does, unless the model does', async () => {
  const place = await bench(files)
  const list = await place.tools()
  const { file, function: inCode } = wishes.typescript
  const promote = (more: object) =>
    callTool(requireTool(list(), 'promote_skill'), { file, function: inCode, ...more }, place.context)

  await promote({ name: 'by_itself' })
  await promote({ name: 'by_model', description: ' Count\n words ' })

  expect((await place.store.load()).functions.map(({ name, description }) => [name, description])).toEqual([
    ['by_itself', 'Counts the words of a text that have at least so many letters.'],
    ['by_model', 'Count words'],
  ])
})

test('what hides in the name of a file or in the code is shown to the person', async () => {
  const file = 'wo\u202Erds.ts'
  const place = await bench({ [file]: `${TYPESCRIPT}// \u001b[2K\u200b\n` })

  await callTool(
    requireTool((await place.tools())(), 'promote_skill'),
    { ...wishes.typescript, file },
    place.context,
  )

  expect(place.asked[0]?.question).not.toMatch(/[\u001b\u200b\u202E]/)
})

const REPEATING = {
  'f.py': 'def f(n: int) -> str:\n    """Repeat.\n\n    >>> len(f(1))\n    1\n    """\n    return "語" * n\n',
  'f.ts':
    '/**\n * Repeat.\n * @example\n * f(1).length // => 1\n */\nexport function f(n: number): string {\n  return "語".repeat(n)\n}\n',
}

test.skipIf(!hasPython).each(['f.py', 'f.ts'])(
  'of very much that %s gives the beginning comes back',
  async (file) => {
    const place = await bench(REPEATING)
    const list = await place.tools()
    const wish = { file, function: 'f', name: 'repeat_it' }
    await callTool(requireTool(list(), 'promote_skill'), wish, place.context)

    const result = await callTool(requireTool(list(), 'repeat_it'), { n: 300_000 }, place.context)

    expect(result).toEqual({ ok: true, text: `${'語'.repeat(40_000)}\n[... 260000 more characters]` })
  },
)

describe('a call', () => {
  const PY = `import json, os, sys
from typing import Any, Optional

def f(kind: str, items: list[int] = [], table: Optional[dict[str, Any]] = None, share: float = 0.5, loud: bool = False) -> Any:
    """Everything.

    Example:
        f("none")
    """
    if kind == "none":
        return None
    if kind == "all":
        return {"items": items, "table": table, "share": share, "loud": loud, "text": "ä\\u2028\\n"}
    if kind == "raise":
        return json.loads("{")
    if kind == "print":
        print("printed")
        return "text"
    if kind == "exit":
        os._exit(3)
    if kind == "set":
        return {3, 1, 2}
    return sys.path[0]
`
  const cases = [
    [{ kind: 'none' }, { ok: true, text: 'null' }],
    [
      { kind: 'all', items: [1, 2], table: { a: [null, true] }, share: 1.5, loud: true },
      {
        ok: true,
        text: '{"items": [1, 2], "table": {"a": [null, true]}, "share": 1.5, "loud": true, "text": "ä\u2028\\n"}',
      },
    ],
    [
      { kind: 'all', table: null },
      { ok: true, text: '{"items": [], "table": null, "share": 0.5, "loud": false, "text": "ä\u2028\\n"}' },
    ],
    [{ kind: 'print' }, { ok: true, text: '[printed]\nprinted\n[returned]\ntext' }],
    [{ kind: 'set' }, { ok: true, text: '[1, 2, 3]' }],
    [{ kind: 'exit' }, { ok: false, code: 'failed', text: 'It ended with exit code 3 before it returned.' }],
  ] as const

  test.skipIf(!hasPython)(
    withPython('of Python takes and gives what JSON can carry, and fails as it raises'),
    async () => {
      const place = await bench({ 'f.py': PY })
      const list = await place.tools()
      const wish = { file: 'f.py', function: 'f', name: 'try_it', description: 'd' }
      await callTool(requireTool(list(), 'promote_skill'), wish, place.context)
      const called = (input: object) => callTool(requireTool(list(), 'try_it'), input, place.context)

      const results = await Promise.all(cases.map(([input]) => called(input)))
      const { ok, code, text } = await called({ kind: 'raise' })

      expect(results).toEqual(cases.map(([, result]) => result))
      expect([ok, code]).toEqual([false, 'failed'])
      expect(text).toContain('JSONDecodeError: Expecting property name')
      expect(text).toContain('return json.loads("{")')
      expect(text).not.toContain('base64')
    },
  )

  test('of TypeScript takes objects, lists and what is left out, waits for promises, and fails as it throws', async () => {
    const source = `type Unused = number
/**
 * Everything.
 * @example
 * await f({ a: 1 }) // => { a: 1, list: 'none', kind: 'x' }
 */
export const f = async (
  table: { a: number; b?: string | null },
  list?: readonly string[],
  kind: 'x' | 'y' | 'throw' = 'x',
): Promise<object> => {
  if (kind === 'throw') throw new RangeError('out of it')
  return { ...table, list: list ?? 'none', kind }
}
`
    const place = await bench({ 'f.ts': source })
    const list = await place.tools()
    const wish = { file: 'f.ts', function: 'f', name: 'try_it', description: 'd' }
    await callTool(requireTool(list(), 'promote_skill'), wish, place.context)
    const tool = requireTool(list(), 'try_it')

    const good = await callTool(tool, { table: { a: 1, b: null }, list: ['ä'] }, place.context)
    const bad = await callTool(tool, { table: { a: 1 }, kind: 'throw' }, place.context)

    expect(good).toEqual({ ok: true, text: '{"a":1,"b":null,"list":["ä"],"kind":"x"}' })
    expect(bad).toMatchObject({ ok: false, code: 'failed' })
    expect(bad.text).toMatch(/^RangeError: out of it\n.*try_it|^RangeError: out of it\n.*f\.ts/)
    expect(tool.input.safeParse({ table: { a: 1 }, kind: 'z' }).success).toBe(false)
  })
})
