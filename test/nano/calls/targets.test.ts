import { expect, test } from 'vitest'
import { withTarget } from '../../../src/nano/calls/targets.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({ 'notes/june_call.md': 'x', 'notes/comp_plan.md': 'x', 'old/x.md': 'x' }),
})
const target = async (from: string, to: string, request: string): Promise<unknown> =>
  (await withTarget({ name: 'move_file', input: { from, to } }, files, request)).input['to']

test('the name of another file, which nobody said, is no name for this one', async () => {
  expect(await target('notes/june_call.md', 'old/comp_plan.md', 'move the june call into old')).toBe(
    'old/june_call.md',
  )
})

test.each([
  ['move june_call.md to old/july_call.md', 'old/july_call.md'],
  ['rename the june call to old july call', 'old/july_call.md'],
  ['rename the june call to julyCall in old', 'old/july_call.md'],
])('a name that is said stays: %s', async (request, to) => {
  expect(await target('notes/june_call.md', to, request)).toBe(to)
})
