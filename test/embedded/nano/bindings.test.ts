import { describe, expect, test } from 'vitest'
import { bindTools, toClientCall, toNanoCall } from '../../../src/embedded/nano/bindings.ts'
import { nanoTools } from '../../../src/embedded/nano/tools.ts'
import { toToolSchema } from '../../../src/lib/schema.ts'
import type { ToolSchema } from '../../../src/protocol/model.ts'
import { builtinTools } from '../../../src/tools/all.ts'

const text = { type: 'string' }

/** `name key key? ...`: a tool with parameters of text, those without `?` required. */
const tool = (line: string): ToolSchema => {
  const [name = '', ...keys] = line.split(' ')
  return {
    name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [key.replace('?', ''), text])),
      required: keys.filter((key) => !key.endsWith('?')),
    },
  }
}

/** As several other programs name the same tools. */
const clients = {
  one: ['Read file_path offset? limit?', 'Write file_path content', 'Bash command description timeout?'],
  two: ['read filePath', 'edit filePath oldString newString replaceAll?', 'bash command description'],
  three: ['read_file path', 'write_to_file path content', 'execute_command command', 'list_files path'],
  four: ['view_file path', 'run_terminal_cmd command explanation', 'grep pattern path?', 'glob pattern'],
}

describe('the tools of other programs', () => {
  test.each([
    ['one', { read_file: 'Read', write_file: 'Write', run_command: 'Bash' }],
    ['two', { read_file: 'read', edit_file: 'edit', run_command: 'bash' }],
    [
      'three',
      {
        read_file: 'read_file',
        list_files: 'list_files',
        write_file: 'write_to_file',
        run_command: 'execute_command',
      },
    ],
    [
      'four',
      {
        read_file: 'view_file',
        find_files: 'glob',
        search_text: 'grep',
        run_command: 'run_terminal_cmd',
      },
    ],
  ] as const)('of client %s stand behind the ones nano knows', (name, expected) => {
    const bindings = bindTools(clients[name].map(tool))

    expect(Object.fromEntries(Array.from(bindings, ([own, binding]) => [own, binding.name]))).toEqual(
      expected,
    )
  })

  test('a call and back', () => {
    const bindings = bindTools(clients.two.map(tool))
    const own = { name: 'edit_file', input: { path: 'a.ts', old: 'x', new: 'y' } }
    const theirs = { name: 'edit', input: { filePath: 'a.ts', oldString: 'x', newString: 'y' } }

    expect(toClientCall(own, bindings)).toEqual(theirs)
    expect(toNanoCall(theirs, bindings)).toEqual(own)
  })

  test('what the client has no parameter for cannot be asked of it; leave to replace a file is not needed', () => {
    const bindings = bindTools(clients.one.map(tool))
    const written = { path: 'a.txt', content: 'x' }

    expect(
      toClientCall({ name: 'write_file', input: { ...written, append: true } }, bindings),
    ).toBeUndefined()
    expect(toClientCall({ name: 'write_file', input: { ...written, overwrite: true } }, bindings)).toEqual({
      name: 'Write',
      input: { file_path: 'a.txt', content: 'x' },
    })
    expect(toClientCall({ name: 'fetch_url', input: { url: 'x' } }, bindings)).toBeUndefined()
  })

  test('a tool that needs more than nano can say, and two that could be meant, stand behind none', () => {
    const bindings = bindTools([
      tool('bash command session_id'),
      tool('cat path'),
      tool('view path'),
      tool('get_weather place'),
    ])

    expect([...bindings]).toEqual([])
  })

  test('Covey’s own tools stand behind themselves', () => {
    const bindings = bindTools(builtinTools({ list: () => [] }).map(toToolSchema))
    const bound = [...bindings].filter(([own, { name }]) => own === name).map(([own]) => own)

    expect(bound.toSorted()).toEqual([...nanoTools.keys()].filter((name) => bindings.has(name)).toSorted())
    expect(bound).toEqual(
      expect.arrayContaining([
        'read_file',
        'list_files',
        'write_file',
        'edit_file',
        'run_command',
        'search_text',
      ]),
    )
  })
})
