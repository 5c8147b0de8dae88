import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseArguments } from '../../src/engine/arguments.ts'
import { defineTool, type Tool } from '../../src/protocol/tool.ts'

const run = async () => ''

const readFile = defineTool({
  name: 'read_file',
  description: 'Read a file.',
  category: 'read',
  input: z.object({
    path: z.string().describe('Path relative to the project root'),
    from: z.int().positive().default(1).describe('First line to read'),
  }),
  run,
})
const writeFile = defineTool({
  name: 'write_file',
  description: 'Write a file.',
  category: 'write',
  input: z.object({ path: z.string(), content: z.string(), overwrite: z.boolean().optional() }),
  run,
})
const editFile = defineTool({
  name: 'edit_file',
  description: 'Edit a file.',
  category: 'write',
  input: z.strictObject({ path: z.string(), old: z.string(), new: z.string() }),
  run,
})
const searchText = defineTool({
  name: 'search_text',
  description: 'Search.',
  category: 'search',
  input: z.object({ pattern: z.string(), path: z.string().optional() }),
  run,
})
const runCommand = defineTool({
  name: 'run_command',
  description: 'Run.',
  category: 'run',
  input: z.object({ command: z.string() }),
  run,
})
const callTool = defineTool({
  name: 'call_tool',
  description: 'Call.',
  category: 'meta',
  input: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
  run,
})
const systemInfo = defineTool({
  name: 'system_info',
  description: 'Info.',
  category: 'meta',
  input: z.object({}),
  run,
})
const plan = defineTool({
  name: 'plan',
  description: 'Plan.',
  category: 'meta',
  input: z.object({
    action: z.enum(['show', 'add']),
    text: z.string().optional(),
    tags: z.array(z.string()),
  }),
  run,
})

const parse = (tool: Tool, input: unknown) =>
  parseArguments(
    { id: '1', name: tool.name, input: typeof input === 'string' ? input : JSON.stringify(input) },
    tool,
  )

describe('takes what is right as it is', () => {
  test('with defaults filled in', () => {
    expect(parse(readFile, { path: 'a.ts' })).toEqual({
      ok: true,
      input: { path: 'a.ts', from: 1 },
    })
  })

  test('and nothing at all as no arguments', () => {
    expect(parse(systemInfo, '')).toEqual({ ok: true, input: {} })
  })

  test('without unknown arguments', () => {
    expect(parse(readFile, { path: 'a.ts', reason: 'to see it' })).toMatchObject({
      ok: true,
      input: { path: 'a.ts', from: 1 },
    })
    expect(parse(editFile, { path: 'a', old: 'b', new: 'c', why: 'd' })).toMatchObject({
      ok: true,
      input: { path: 'a', old: 'b', new: 'c' },
    })
  })
})

describe('repairs typing errors', () => {
  test.each<[string, Tool, unknown, unknown]>([
    ['a bare key and a trailing comma', readFile, '{path: "a.ts",}', { path: 'a.ts', from: 1 }],
    ['a number in a string', readFile, { path: 'a.ts', from: '20' }, { path: 'a.ts', from: 20 }],
    ['a blank optional number', readFile, { path: 'a.ts', from: '' }, { path: 'a.ts', from: 1 }],
    ['null for not given', readFile, { path: 'a.ts', from: null }, { path: 'a.ts', from: 1 }],
    ['one value for a list', plan, { action: 'add', tags: 'x' }, { action: 'add', tags: ['x'] }],
    ['arguments wrapped once more', readFile, { arguments: { path: 'a.ts' } }, { path: 'a.ts', from: 1 }],
    [
      'arguments wrapped with a name',
      readFile,
      { name: 'read_file', parameters: { path: 'a.ts' } },
      { path: 'a.ts', from: 1 },
    ],
    ['arguments wrapped as text', readFile, { input: '{"path": "a.ts"}' }, { path: 'a.ts', from: 1 }],
    ['a list of one object', readFile, [{ path: 'a.ts' }], { path: 'a.ts', from: 1 }],
    ['only the one text', readFile, '"a.ts"', { path: 'a.ts', from: 1 }],
    ['file_path', readFile, { file_path: 'a.ts' }, { path: 'a.ts', from: 1 }],
    ['filePath', readFile, { filePath: 'a.ts' }, { path: 'a.ts', from: 1 }],
    ['text for content', writeFile, { filename: 'a.ts', text: 'x' }, { path: 'a.ts', content: 'x' }],
    [
      'old_string and new_string',
      editFile,
      { path: 'a', old_string: 'b', new_string: 'c' },
      { path: 'a', old: 'b', new: 'c' },
    ],
    [
      'search and replace',
      editFile,
      { file: 'a', search: 'b', replace: 'c' },
      { path: 'a', old: 'b', new: 'c' },
    ],
    ['the whole as a JSON text', readFile, JSON.stringify('{"path": "a.ts"}'), { path: 'a.ts', from: 1 }],
    [
      'the whole as a JSON text, twice',
      readFile,
      JSON.stringify(JSON.stringify('{"path": "a.ts"}')),
      { path: 'a.ts', from: 1 },
    ],
    ['a command as a JSON text', runCommand, JSON.stringify('{"command": "ls"}'), { command: 'ls' }],
    ['arguments inside an argument', runCommand, { command: '{"command": "ls -la"}' }, { command: 'ls -la' }],
    ['a list of one for a path', readFile, { path: ['a.ts'] }, { path: 'a.ts', from: 1 }],
    [
      'lines for a text',
      writeFile,
      { path: 'a', content: ['one', 'two', ''] },
      { path: 'a', content: 'one\ntwo\n' },
    ],
    [
      'the words of a command',
      runCommand,
      { command: ['git', 'commit', '-m', "it's done"] },
      { command: `git commit -m 'it'\\''s done'` },
    ],
    ['several commands', runCommand, { command: ['cd src', 'npm test'] }, { command: 'cd src && npm test' }],
    ['query and directory', searchText, { query: 'x', directory: 'src' }, { pattern: 'x', path: 'src' }],
  ])('%s', (_, tool, input, expected) => {
    const parsed = parse(tool, input)

    expect(parsed).toMatchObject({ ok: true, input: expected })
    // What the conversation keeps is read the same way, without another repair.
    const written = parsed.ok ? (parsed.written ?? '') : ''
    expect(parse(tool, written)).toEqual({ ok: true, input: expected })
  })
})

test('a name that is a parameter itself is no alias and no wrapper', () => {
  expect(parse(callTool, { name: 'x', arguments: { a: 1 } })).toEqual({
    ok: true,
    input: { name: 'x', arguments: { a: 1 } },
  })
})

test('JSON that is the content of a file stays as it is', () => {
  expect(parse(writeFile, { path: 'a.json', content: '{"content": "x"}' })).toEqual({
    ok: true,
    input: { path: 'a.json', content: '{"content": "x"}' },
  })
})

test('an alias never replaces what was given', () => {
  expect(parse(readFile, { path: 'a.ts', file: 'b.ts' })).toMatchObject({
    ok: true,
    input: { path: 'a.ts', from: 1 },
  })
})

describe('explains what is wrong', () => {
  test('with the missing argument, what it is and a call that would work', () => {
    expect(parse(readFile, {})).toEqual({
      ok: false,
      text: 'read_file: argument "path" (string: Path relative to the project root): Invalid input: expected string, received undefined. For example {"path":"src/app.ts"}',
    })
  })

  test('with the words that are allowed', () => {
    const result = parse(plan, { action: 'dance', tags: [] })

    expect(result.ok ? '' : result.text).toContain('argument "action" (one of show, add)')
    expect(result.ok ? '' : result.text).toContain('For example {"action":"show","tags":["text"]}')
  })

  test('when a text that would be written was never closed', () => {
    const result = parse(writeFile, '{"path":"a.ts","content":"const a')

    expect(result).toEqual({
      ok: false,
      text: 'write_file: the arguments cannot be read (a string is never closed). Send one JSON object, for example {"path":"src/app.ts","content":"first line\\nsecond line\\n"}',
    })
  })

  test('but closes a string for a tool that only reads', () => {
    expect(parse(readFile, '{"path":"a.ts')).toMatchObject({ ok: true, input: { path: 'a.ts', from: 1 } })
  })

  test('when the arguments are no object', () => {
    const result = parse(editFile, '[1, 2]')

    expect(result.ok ? '' : result.text).toContain('must be one JSON object')
  })
})
