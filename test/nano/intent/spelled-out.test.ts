import { expect, test } from 'vitest'
import type { NanoCall } from '../../../src/nano/steps/run.ts'
import { notSpelledOut } from '../../../src/nano/intent/spelled-out.ts'

const run = (command: string): NanoCall => ({ name: 'run_command', input: { command } })
const write = (path: string, content: string): NanoCall => ({ name: 'write_file', input: { path, content } })
const edit = (path: string, old: string, replacement: string): NanoCall => ({
  name: 'edit_file',
  input: { path, old, new: replacement },
})

test.each<[string, NanoCall, string | undefined]>([
  ['run npm test', run('npm test'), undefined],
  ['run the tests', run('npm test'), 'command'],
  ['LIST ALL TYPESCRIPT FILES', run('npm run lint'), 'command'],
  ['what changed?', run('git status'), undefined],
  ['write hello to notes.txt', write('notes.txt', 'hello'), undefined],
  ['write hello   there to docs/notes.txt', write('docs/notes.txt', 'hello there'), undefined],
  ['write hello to my notes', write('notes.txt', 'hello'), 'path'],
  ['write a haiku to notes.txt', write('notes.txt', 'An old silent pond'), 'content'],
  ['change 80 to 90 in Config.json', edit('config.json', '80', '90'), undefined],
  ['set the port in config.json to 90', edit('config.json', '80', '90'), 'old'],
  ['stop the job', { name: 'job_stop', input: { id: 'job-1' } }, 'id'],
])('%s: %j lacks %s', (request, call, missing) => {
  expect(notSpelledOut(call, request)).toBe(missing)
})
