import { expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import { asTool } from '../../../src/nano/request/typed-form.ts'

const run = (command: string): Decision => ({
  kind: 'call',
  call: { name: 'run_command', input: { command } },
})
const everything = (): boolean => true

test.each([
  ['mkdir -p logs/old', { name: 'make_folder', input: { path: 'logs/old' } }],
  ['cp a.txt b/', { name: 'copy_file', input: { from: 'a.txt', to: 'b/' } }],
  ['mv notes/a.md notes/b.md', { name: 'move_file', input: { from: 'notes/a.md', to: 'notes/b.md' } }],
  ['cat README.md', { name: 'read_file', input: { path: 'README.md' } }],
  ['ls src', { name: 'list_files', input: { path: 'src' } }],
])('%s has a tool of its own', (command, call) => {
  expect(asTool(run(command), everything)).toEqual({ kind: 'call', call })
})

test.each(
  `rm -r src;rm a.txt;cp a b c;cp -r a;mv -t dir;mv *.md old;cat a | wc -l;cat -n;cat /etc/hosts;cat ../a.txt;ls;ls -la;ls -la src;ls /;mkdir -v;mkdir "a b"`.split(
    ';',
  ),
)('%s is run as it is', (command) => {
  expect(asTool(run(command), everything)).toEqual(run(command))
})

test('not where the tool is not offered', () => {
  expect(asTool(run('mkdir a'), () => false)).toEqual(run('mkdir a'))
})
