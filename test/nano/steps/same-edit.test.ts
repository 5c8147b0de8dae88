import { expect, test } from 'vitest'
import { sameEdit, wantsTheSame } from '../../../src/nano/steps/same-edit.ts'
import type { NanoStep } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({
  root: await tempProject({
    'a.env': 'TZ=Europe/Madrid\n',
    'b.env': 'PORT=1\nTZ=Europe/Dublin\n',
    'c.env': 'TZ=Europe/Dublin\nOLD=Europe/Dublin\n',
    'd.env': 'A=Europe/Dublin\nB=Europe/Dublin\n',
    'e.env': 'TZ=Asia/Tokyo\n',
  }),
})

const edit = (old: string, value: string): NanoStep['call'] => ({
  name: 'edit_file',
  input: { path: 'a.env', old, new: value },
})
const step = (call: NanoStep['call']): NanoStep => ({ call, ok: true, text: '', shown: '' })

test('the same change is made where it is clear which line is meant', async () => {
  const steps = [step(edit('TZ=Europe/Dublin', 'TZ=Europe/Madrid'))]

  expect(await sameEdit('b.env', steps, files)).toEqual({
    name: 'edit_file',
    input: { path: 'b.env', old: 'TZ=Europe/Dublin', new: 'TZ=Europe/Madrid' },
  })
  expect(await sameEdit('d.env', steps, files)).toBeUndefined()
  expect(await sameEdit('a.env', steps, files)).toBeUndefined()
  expect(await sameEdit('b.env', [], files)).toBeUndefined()
})

test('a value is set under its name, also where only the value was spelled', async () => {
  expect(await sameEdit('e.env', [step(edit('Dublin', 'Madrid'))], files)).toEqual({
    name: 'edit_file',
    input: { path: 'e.env', old: 'TZ=Asia/Tokyo', new: 'TZ=Europe/Madrid' },
  })
})

test('what was replaced everywhere is replaced everywhere', async () => {
  const all = { name: 'edit_file', input: { path: 'a.env', old: 'Dublin', new: 'Madrid', all: true } }

  expect(await sameEdit('c.env', [step(all)], files)).toEqual({
    name: 'edit_file',
    input: { path: 'c.env', old: 'Europe/Dublin', new: 'Europe/Madrid', all: true },
  })
})

test('who wants the same says so', () => {
  expect(wantsTheSame('and same in media.env')).toBe(true)
  expect(wantsTheSame('and in media.env too')).toBe(true)
  expect(wantsTheSame('and put b.txt in the same folder')).toBe(false)
  expect(wantsTheSame('then set the port to 5')).toBe(false)
})
