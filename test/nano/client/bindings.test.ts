import { describe, expect, test } from 'vitest'
import { bindTools, toClientCall, toNanoCall } from '../../../src/nano/client/bindings.ts'
import { nanoTools } from '../../../src/nano/weights/tools.ts'
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
  five: [
    'builtin_read_file filepath',
    'builtin_create_new_file filepath contents',
    'builtin_run_terminal_command command',
    'builtin_ls dirPath?',
    'builtin_grep_search query',
    'builtin_file_glob_search pattern',
    'builtin_single_find_and_replace filepath old_string new_string',
  ],
  six: [
    'fs_read path',
    'fs_write path content',
    'fs_list path',
    'fs_replace path search replace',
    'fs_mkdir path',
  ],
  seven: [
    'terminal command cd',
    'replace file_path old_string new_string instruction',
    'find_by_name SearchDirectory Pattern',
  ],
  eight: [
    'run_command CommandLine Cwd',
    'grep_search query',
    'codebase_search query',
    'file_search query explanation',
  ],
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
    [
      'five',
      {
        read_file: 'builtin_read_file',
        list_files: 'builtin_ls',
        find_files: 'builtin_file_glob_search',
        search_text: 'builtin_grep_search',
        write_file: 'builtin_create_new_file',
        edit_file: 'builtin_single_find_and_replace',
        run_command: 'builtin_run_terminal_command',
      },
    ],
    [
      'six',
      {
        read_file: 'fs_read',
        list_files: 'fs_list',
        write_file: 'fs_write',
        edit_file: 'fs_replace',
        make_folder: 'fs_mkdir',
      },
    ],
    ['seven', { find_files: 'find_by_name', edit_file: 'replace', run_command: 'terminal' }],
    ['eight', { find_files: 'file_search', search_text: 'grep_search', run_command: 'run_command' }],
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
      toClientCall({ name: 'edit_file', input: { path: 'a.txt', old: 'x\nz', new: 'y' } }, bindings),
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
      tool('save path content'),
      tool('put path content'),
      tool('get_weather place'),
    ])

    expect([...bindings]).toEqual([])
  })

  test('of two that only look the first stands behind it', () => {
    expect(bindTools([tool('cat path'), tool('view path')]).get('read_file')?.name).toBe('cat')
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

  test('operations on files, searches and edits are known by other names and in other shapes', () => {
    const bindings = bindTools([
      tool('create_directory path'),
      tool('rename_file source destination'),
      tool('removeFile filePath'),
      {
        ...tool('search_files path pattern'),
        description: 'Search for files and directories matching a pattern.',
      },
      { ...tool('search_in_files path regex'), description: 'Regex search across files.' },
      tool('delete_branch name'),
      tool('replace_in_file path diff'),
    ])

    expect(Object.fromEntries(Array.from(bindings, ([own, binding]) => [own, binding.name]))).toEqual({
      make_folder: 'create_directory',
      move_file: 'rename_file',
      delete_file: 'removeFile',
      find_files: 'search_files',
      search_text: 'search_in_files',
      edit_file: 'replace_in_file',
    })
    const edit = { name: 'edit_file', input: { path: 'a', old: 'x\ny', new: 'z' } }
    const theirs = { path: 'a', diff: '------- SEARCH\nx\ny\n=======\nz\n+++++++ REPLACE' }
    expect(toClientCall(edit, bindings)).toEqual({ name: 'replace_in_file', input: theirs })
    expect(toNanoCall({ name: 'replace_in_file', input: theirs }, bindings)).toEqual(edit)
    expect(toClientCall({ name: 'find_files', input: { pattern: '*.md' } }, bindings)).toEqual({
      name: 'search_files',
      input: { path: '.', pattern: '*.md' },
    })
  })

  test('a tool that does several things by a choice stands behind each of them', () => {
    const editor = tool('editor path file_text? old_str? new_str?')
    const command = { type: 'string', enum: ['view', 'create', 'str_replace'] }
    const properties = { command, ...(editor.parameters['properties'] as object) }
    const bindings = bindTools([{ ...editor, parameters: { ...editor.parameters, properties } }])
    const edit = { name: 'edit_file', input: { path: 'a', old: 'x', new: 'y' } }
    const theirs = {
      name: 'editor',
      input: { command: 'str_replace', path: 'a', old_str: 'x', new_str: 'y' },
    }

    expect([...bindings.keys()]).toEqual(['read_file', 'write_file', 'edit_file'])
    expect(toClientCall(edit, bindings)).toEqual(theirs)
    expect(toNanoCall(theirs, bindings)).toEqual(edit)
  })

  test('a list of edits, a command as a list of words, and a yes that is required', () => {
    const items = { type: 'object', properties: { oldText: text, newText: text } }
    const bindings = bindTools([
      {
        name: 'edit',
        parameters: { properties: { path: text, edits: { type: 'array', items } }, required: ['edits'] },
      },
      {
        name: 'shell',
        parameters: {
          properties: { command: { type: 'array', items: text }, requires_approval: { type: 'boolean' } },
          required: ['command', 'requires_approval'],
        },
      },
    ])
    const run = { name: 'run_command', input: { command: 'npm test' } }
    const theirs = { command: ['bash', '-lc', 'npm test'], requires_approval: true }

    expect(toClientCall({ name: 'edit_file', input: { path: 'a', old: 'x', new: 'y' } }, bindings)).toEqual({
      name: 'edit',
      input: { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
    })
    expect(toClientCall(run, bindings)).toEqual({ name: 'shell', input: theirs })
    expect(toNanoCall({ name: 'shell', input: theirs }, bindings).input['command']).toBe('npm test')
  })
})
