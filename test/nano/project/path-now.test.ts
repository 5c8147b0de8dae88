import { expect, test } from 'vitest'
import { atPathNow } from '../../../src/nano/project/path-now.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({
    'done/list.txt': 'a\n',
    'bugs/bugs.csv': 'b\n',
    'logs/app.log': 'c\n',
    'new.md': '1\n',
  }),
})
const paths = ['bugs/bugs.csv', 'logs/app.log', 'done/list.txt']
const step = (name: string, input: NanoCall['input']): NanoStep => ({
  call: { name, input },
  ok: true,
  text: '',
  shown: '',
})
const add = (path: string, content = 'x'): NanoCall => ({
  name: 'write_file',
  input: { path, content, append: true },
})
const now = (call: NanoCall, clause: string, steps: NanoStep[] = []): Promise<NanoCall> =>
  atPathNow(call, { clause, paths, steps, files })

test('what was moved is at its new place', async () => {
  const moved = step('move_file', { from: 'list.txt', to: 'done/list.txt' })

  expect(await now(add('list.txt'), 'and append x to it', [moved])).toEqual(add('done/list.txt'))
})

test('a name without its folder is the only file that is called so', async () => {
  expect(await now(add('bugs.csv'), 'add x to bugs.csv')).toEqual(add('bugs/bugs.csv'))
  expect(await now(add('other.csv'), 'add x to other.csv')).toEqual(add('other.csv'))
  const made = { name: 'write_file', input: { path: 'bugs.csv', content: 'x' } }
  expect(await now(made, 'create bugs.csv with x')).toEqual(made)
})

test('a text that goes to no file that is named goes to the one just written', async () => {
  const written = step('write_file', { path: 'new.md', content: '1' })
  const call = add('logs/app.log', 'no password in logs')

  expect(await now(call, 'then append no password in logs', [written])).toEqual(
    add('new.md', 'no password in logs'),
  )
  expect(await now(call, 'then append no password in logs to the app log', [written])).toEqual(call)
})
