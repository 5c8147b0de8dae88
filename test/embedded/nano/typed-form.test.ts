import { expect, test } from 'vitest'
import type { Decision } from '../../../src/embedded/nano/decide.ts'
import { asTool } from '../../../src/embedded/nano/typed-form.ts'

const run = (command: string): Decision => ({
  kind: 'call',
  call: { name: 'run_command', input: { command } },
})
const everything = (): boolean => true

test.each([
  ['mkdir -p logs/old', { name: 'make_folder', input: { path: 'logs/old' } }],
  ['cp a.txt b/', { name: 'copy_file', input: { from: 'a.txt', to: 'b/' } }],
  ['mv notes/a.md notes/b.md', { name: 'move_file', input: { from: 'notes/a.md', to: 'notes/b.md' } }],
  ['rm -f a.txt', { name: 'delete_file', input: { path: 'a.txt' } }],
  ['cat README.md', { name: 'read_file', input: { path: 'README.md' } }],
  ['ls src', { name: 'list_files', input: { path: 'src' } }],
])('%s has a tool of its own', (command, call) => {
  expect(asTool(run(command), everything)).toEqual({ kind: 'call', call })
})

test.each(['rm -r src', 'cp a b c', 'mv *.md old', 'cat a | wc -l', 'ls', 'mkdir "a b"', 'ls -la src'])(
  '%s is run as it is',
  (command) => {
    expect(asTool(run(command), everything)).toEqual(run(command))
  },
)

test('not where the tool is not offered', () => {
  expect(asTool(run('mkdir a'), () => false)).toEqual(run('mkdir a'))
})
