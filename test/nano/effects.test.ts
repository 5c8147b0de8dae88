/** What becomes of a call before it is made: a listed line as an edit, where a copy goes, a shell for what a client lacks. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendByEdit, asAppend } from '../../src/nano/client/append-form.ts'
import { bindTools, toClientCall, toNewFolder } from '../../src/nano/client/bindings.ts'
import { otherLanguage } from '../../src/nano/intent/language.ts'
import { makeUnique, toEdit } from '../../src/nano/project/listed-lines.ts'
import { fromCommand, toCommand, toCommandInNewFolder } from '../../src/nano/client/shell-form.ts'
import { foldersOf, withTarget } from '../../src/nano/calls/targets.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { tempProject } from '../support/project.ts'

const lines = [
  { path: 'config.json', number: 2, text: '"port": 3000,' },
  { path: 'alerts.yaml', number: 4, text: 'for: 1m' },
  { path: 'todo.txt', number: 2, text: 'call Kim' },
]

const files = createFiles({
  root: await tempProject({
    'config.json': '{\n  "port": 3000,\n  "name": "x"\n}\n',
    'alerts.yaml': 'a:\n  for: 1m\nb:\n  for: 1m\n',
    'todo.txt': 'milk\ncall Kim\n',
    'docs/a.md': 'a',
  }),
})

const change = (line: number, old: string, replacement: string) =>
  toEdit({ name: 'change_line', input: { line, old, new: replacement } }, lines, '')

test('part of a listed line becomes an edit of the whole line', async () => {
  const edit = change(1, '3000', '8080')

  expect(edit).toEqual({
    name: 'edit_file',
    input: { path: 'config.json', old: '"port": 3000,', new: '"port": 8080,' },
  })
  expect(await makeUnique(edit, lines, files)).toEqual(edit)
})

test.each([
  ['call Kim should be call Tim', 'call Kim', 'call Tim', 'call Tim'],
  ['in the todo Kim should be Tim', 'call Kim', 'Tim', 'call Tim'],
  ['todo: "Kim" -> "Tim"', 'call Kim', 'Tim', 'call Tim'],
  ['the second line should be Tim', 'call Kim', 'Tim', 'Tim'],
])('%s changes what is spelled', (request, old, replacement, expected) => {
  const input = { line: 3, old, new: replacement }

  expect(toEdit({ name: 'change_line', input }, lines, request).input['new']).toBe(expected)
})

test('a line that is in the file twice takes the lines before it along', async () => {
  const edit = await makeUnique(change(2, '1m', '2m'), lines, files)

  expect(edit.input).toEqual({ path: 'alerts.yaml', old: 'b:\n  for: 1m', new: 'b:\n  for: 2m' })
})

test('a line that is removed takes its line end along', async () => {
  const edit = await makeUnique(change(3, 'call Kim', ''), lines, files)

  expect(edit.input).toEqual({ path: 'todo.txt', old: 'call Kim\n', new: '' })
})

test.each([
  ['into a folder', { from: 'todo.txt', to: 'docs/' }, { from: 'todo.txt', to: 'docs/todo.txt' }],
  ['into an existing folder', { from: 'todo.txt', to: 'docs' }, { from: 'todo.txt', to: 'docs/todo.txt' }],
  ['under another name beside it', { from: 'docs/a.md', to: 'b.md' }, { from: 'docs/a.md', to: 'docs/b.md' }],
  ['to the top', { from: 'docs/a.md', to: '.' }, { from: 'docs/a.md', to: 'a.md' }],
  ['where it was said', { from: 'docs/a.md', to: 'old/a.md' }, { from: 'docs/a.md', to: 'old/a.md' }],
])('a move goes %s', async (_, input, expected) => {
  expect((await withTarget({ name: 'move_file', input }, files)).input).toEqual(expected)
})

test('folders of earlier calls may take more', () => {
  const step = (name: string, input: Record<string, string>) => ({
    call: { name, input },
    ok: true,
    text: '',
    shown: '',
  })

  expect(
    foldersOf([step('make_folder', { path: 'a/b' }), step('write_file', { path: 'c/d.txt', content: '' })]),
  ).toEqual(['a/b/', 'c/'])
})

test('a client with nothing but a shell is given a command', () => {
  const bash = {
    name: 'bash',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  }
  const call = { name: 'move_file', input: { from: 'my notes.txt', to: '-old' } }

  expect(toClientCall(call, bindTools([bash]))).toEqual({
    name: 'bash',
    input: { command: "mv -n 'my notes.txt' ./-old" },
  })
  expect(toCommand({ name: 'edit_file', input: { path: 'a', old: 'b\nc', new: 'd' } })).toBeUndefined()
})

test.each([
  ['read_file', { path: 'docs/my notes.md' }, "cat 'docs/my notes.md'"],
  ['read_file', { path: 'a.md', from: 3, to: 9 }, "sed -n '3,9p' a.md"],
  ['list_files', { path: '.' }, 'ls .'],
  ['find_files', { pattern: 'src/**/*.ts' }, "find src -name '*.ts'"],
  ['search_text', { pattern: "it's", path: 'docs' }, String.raw`grep -rn -e 'it'\''s' docs`],
  [
    'edit_file',
    { path: 'a.md', old: 'a/b.*', new: 'c&d', all: true },
    String.raw`sed -i 's/a\/b\.\*/c\&d/g' a.md`,
  ],
  [
    'edit_file',
    { path: 'a.md', old: 'a/b', new: 'c&d' },
    String.raw`test "$(grep -cF -e a/b a.md)" = 1 && sed -i 's/a\/b/c\&d/' a.md`,
  ],
  [
    'edit_file',
    { path: 'a.md', old: 'x y\n', new: '' },
    `test "$(grep -cxF -e 'x y' a.md)" = 1 && sed -i '/^x y$/d' a.md`,
  ],
  ['write_file', { path: 'a.txt', content: 'b c' }, String.raw`set -C; printf '%s\n' 'b c' > a.txt`],
  ['write_file', { path: 'a.txt', content: 'b', append: true }, String.raw`printf '%s\n' b >> a.txt`],
  ['write_file', { path: 'a.txt', content: 'b', overwrite: true }, undefined],
])('%s %j is one command', (name, input, command) => {
  expect(toCommand({ name, input })).toBe(command)
})

test('what a tool cannot narrow down is narrowed down in the shell, or shown whole without one', () => {
  const tool = (name: string, key: string) => ({
    name,
    parameters: { type: 'object', properties: { [key]: { type: 'string' } }, required: [key] },
  })
  const call = { name: 'read_file', input: { path: 'a.md', from: 3 } }
  const [view, bash] = [tool('view', 'path'), tool('bash', 'command')]

  expect(toClientCall(call, bindTools([view, bash]))?.input).toEqual({ command: "sed -n '3,$p' a.md" })
  expect(toClientCall(call, bindTools([view]))).toEqual({ name: 'view', input: { path: 'a.md' } })
})

test('a client that cannot append is given an edit of the end of the file', async () => {
  const tool = (name: string, ...keys: string[]) => ({
    name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [key, {}])),
      required: keys,
    },
  })
  const bindings = bindTools([
    tool('Write', 'file_path', 'content'),
    tool('Edit', 'file_path', 'old_string', 'new_string'),
  ])
  const append = (path: string) =>
    appendByEdit(
      { kind: 'call', call: { name: 'write_file', input: { path, content: 'eggs', append: true } } },
      bindings,
      files,
    )

  expect(await append('todo.txt')).toEqual({
    kind: 'call',
    call: { name: 'edit_file', input: { path: 'todo.txt', old: 'call Kim', new: 'call Kim\neggs' } },
  })
  expect(await append('absent.txt')).toMatchObject({ call: { name: 'write_file' } })
})

test('in a shell it begins a line of its own', async () => {
  const files = createFiles({ root: await tempProject({ 'a.txt': 'milk', 'b.txt': 'milk\n' }) })
  const content = async (path: string): Promise<unknown> => {
    const call = { name: 'write_file', input: { path, content: 'eggs', append: true } }
    const decision = await appendByEdit({ kind: 'call', call }, bindTools([]), files)
    return 'call' in decision ? decision.call.input['content'] : undefined
  }

  expect(await content('a.txt')).toBe('\neggs')
  expect(await content('b.txt')).toBe('eggs')
  expect(await content('absent.txt')).toBe('eggs')
})

test.each([
  ['bitte lösche die Datei notes.txt', 'Das eingebaute Modell'],
  ['supprime le fichier notes.txt', 'Le modèle intégré'],
  ['borra el archivo notes.txt por favor', 'El modelo integrado'],
  ['удали файл', 'The built-in model'],
])('%s is answered in its language', (request, answer) => {
  expect(otherLanguage(request)?.startsWith(answer)).toBe(true)
})

test.each([
  'delete the file notes.txt',
  'open die-roll.md',
  'run npm test',
  'write "la vie est belle" to a.txt',
])('%s is English', (request) => {
  expect(otherLanguage(request)).toBeUndefined()
})

test.each([
  { name: 'read_file', input: { path: 'docs/my notes.md' } },
  { name: 'list_files', input: { path: 'docs' } },
  { name: 'find_files', input: { pattern: '**/*.ts' } },
  { name: 'find_files', input: { pattern: 'src/**/*.ts' } },
  { name: 'search_text', input: { pattern: "it's", path: 'docs' } },
  { name: 'make_folder', input: { path: 'a/b' } },
  { name: 'copy_file', input: { from: 'a b', to: 'c' } },
  { name: 'move_file', input: { from: 'a', to: 'c d' } },
  { name: 'delete_file', input: { path: 'a' } },
  { name: 'write_file', input: { path: 'a.txt', content: 'b c', append: true } },
])('what was done in a shell is known again: %j', (call) => {
  expect(fromCommand(toCommand(call) ?? '')).toEqual(call)
})

test('an edit in the shell changes the one line that has the text, or nothing', async () => {
  const root = await tempProject({ 'a.txt': "it's 3.5 / x\nit's 305 / x\ntwice\ntwice\n" })
  const run = (old: string, replacement: string): boolean => {
    const command =
      toCommand({ name: 'edit_file', input: { path: 'a.txt', old, new: replacement } }) ?? 'false'
    return spawnSync('sh', ['-c', command], { cwd: root }).status === 0
  }

  expect([
    run("it's 3.5 /", "it's 4 \\ &"),
    run('305 / x', '306'),
    run('twice', 'once'),
    run('none', 'some'),
  ]).toEqual([true, true, false, false])
  expect([run("it's 306\n", '')]).toEqual([true])
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe("it's 4 \\ & x\ntwice\ntwice\n")
})

test.each(['npm test', 'ls', 'cat a b', 'rm -rf a', 'cp a b', 'ls a | wc -l'])(
  '%s is a command of its own',
  (command) => {
    expect(fromCommand(command)).toBeUndefined()
  },
)

test('the text of a comment or list item that goes takes the rest of its line along', () => {
  const todo = [{ path: 'a.py', number: 1, text: '# TODO: remove duplicates' }]
  const call = { name: 'change_line', input: { line: 1, old: 'TODO: remove duplicates', new: '' } }

  expect(toEdit(call, todo, '').input['new']).toBe('')
})

test('a move to a folder that is not there makes it first, and is known again', () => {
  const call = { name: 'move_file', input: { from: 'a.md', to: 'new one/a.md' } }
  const command = "mkdir -p 'new one' && mv -n a.md 'new one/a.md'"
  const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }

  expect(toCommandInNewFolder(call)).toBe(command)
  expect(fromCommand(command)).toEqual(call)
  expect(
    toNewFolder(call, bindTools([{ name: 'bash', description: 'Runs a command.', parameters }])),
  ).toEqual({
    name: 'bash',
    input: { command },
  })
})

test('an edit that adds lines behind a text is what was appended', () => {
  const edit = { name: 'edit_file', input: { path: 'a.txt', old: 'milk', new: 'milk\nbread' } }

  expect(asAppend(edit)).toEqual({
    name: 'write_file',
    input: { path: 'a.txt', content: 'bread', append: true },
  })
  expect(asAppend({ ...edit, input: { ...edit.input, new: 'bread' } }).name).toBe('edit_file')
})
