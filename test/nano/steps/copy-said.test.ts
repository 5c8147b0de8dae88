import { expect, test } from 'vitest'
import { inCopySaid, twoAlike } from '../../../src/nano/steps/copy-said.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const ini = 'max = 18\ndepot = Leeds\n'
const files = createFiles({ root: await tempProject({ 'a.ini': ini, 'b.ini': ini, 'c.ini': 'x\n' }) })
const copy = (from: string, to: string) => ({
  call: { name: 'copy_file', input: { from, to } },
  ok: true,
  text: '',
  shown: '',
})

const pathFor = async (clause: string, path: string, to = 'b.ini'): Promise<unknown> => {
  const call = { name: 'edit_file', input: { path, old: 'max = 18', new: 'max = 24' } }
  const decision = await inCopySaid({ kind: 'call', call }, { clause, steps: [copy('a.ini', to)], files })
  return 'call' in decision ? [decision.kind, decision.call.input['path']] : undefined
}

test.each([
  ['then max 24 in the copy', 'a.ini', ['guess', 'b.ini']],
  ['make max 24 in that one', 'a.ini', ['guess', 'b.ini']],
  ['and set max to 24 there', 'a.ini', ['guess', 'b.ini']],
  ['then put max 24 in the original', 'b.ini', ['guess', 'a.ini']],
  ['set max to 24 in a.ini', 'a.ini', ['call', 'a.ini']],
  ['set max to 24', 'a.ini', ['call', 'a.ini']],
  ['in the copy set max to 24', 'b.ini', ['call', 'b.ini']],
])('%s', async (clause, path, expected) => {
  expect(await pathFor(clause, path)).toEqual(expected)
})

test('not where the other file has no such line', async () => {
  expect(await pathFor('then max 24 in the copy', 'a.ini', 'c.ini')).toEqual(['call', 'a.ini'])
})

test('which of the two a clause speaks of', () => {
  const steps = [copy('a.ini', 'b.ini')]

  expect(twoAlike('max 24 in there', steps)).toEqual({ meant: 'b.ini', other: 'a.ini' })
  expect(twoAlike('then max 24 in the orig', steps)).toEqual({ meant: 'a.ini', other: 'b.ini' })
  expect(twoAlike('set max to 24', steps)).toBeUndefined()
})
