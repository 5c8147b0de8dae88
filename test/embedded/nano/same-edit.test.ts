import { expect, test } from 'vitest'
import { changeOf, sameEdit, wantsTheSame } from '../../../src/embedded/nano/same-edit.ts'
import type { NanoStep } from '../../../src/embedded/nano/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({
    'a.env': 'TZ=Europe/Madrid\n',
    'b.env': 'PORT=1\nTZ=Europe/Dublin\n',
    'c.env': 'TZ=Europe/Dublin\nOLD=Europe/Dublin\n',
  }),
})

const edit = (old: string, value: string): NanoStep['call'] => ({
  name: 'edit_file',
  input: { path: 'a.env', old, new: value },
})
const step = (call: NanoStep['call']): NanoStep => ({ call, ok: true, text: '', shown: '' })

test.each([
  ['TZ=Europe/Dublin', 'TZ=Europe/Madrid', { old: 'Dublin', new: 'Madrid' }],
  ['ext. 4412.', 'ext. 4415.', { old: '4412', new: '4415' }],
  ['"delayMs": 250,', '"delayMs": 0,', { old: '250', new: '0' }],
  ['Sam', 'Samir, Leo', { old: 'Sam', new: 'Samir, Leo' }],
  ['v1.2.0 of x', 'v1.3.0 of x', { old: 'v1.2.0', new: 'v1.3.0' }],
  ['a 1', 'a 2', undefined],
])('what changes from %s to %s', (old, value, change) => {
  expect(changeOf(edit(old, value))).toEqual(change)
})

test('the same change is made where its text occurs once', async () => {
  const steps = [step(edit('TZ=Europe/Dublin', 'TZ=Europe/Madrid'))]

  expect(await sameEdit('b.env', steps, files)).toEqual({
    name: 'edit_file',
    input: { path: 'b.env', old: 'Dublin', new: 'Madrid' },
  })
  expect(await sameEdit('c.env', steps, files)).toBeUndefined()
  expect(await sameEdit('a.env', steps, files)).toBeUndefined()
  expect(await sameEdit('b.env', [], files)).toBeUndefined()
})

test('who wants the same says so', () => {
  expect(wantsTheSame('and same in media.env')).toBe(true)
  expect(wantsTheSame('and in media.env too')).toBe(true)
  expect(wantsTheSame('and put b.txt in the same folder')).toBe(false)
  expect(wantsTheSame('then set the port to 5')).toBe(false)
})
