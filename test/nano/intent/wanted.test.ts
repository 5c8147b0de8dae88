/** Requests with a sign against their call that may want it all the same, and their neighbours that do not. */
import { expect, test } from 'vitest'
import { moodAgainst } from '../../../src/nano/intent/mood.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'
import { mayBeWanted } from '../../../src/nano/intent/wanted.ts'

const remove: NanoCall = { name: 'delete_file', input: { path: 'old/plan.txt' } }
const edit: NanoCall = { name: 'edit_file', input: { path: 'plan.txt', old: 'cedar', new: 'larch' } }
const drop: NanoCall = { name: 'edit_file', input: { path: 'plan.txt', old: 'cedar boards, 4', new: '' } }
const copy: NanoCall = { name: 'copy_file', input: { from: 'plan.txt', to: 'plan_b.txt' } }
const run: NanoCall = { name: 'run_command', input: { command: 'make report' } }

const wanted: readonly (readonly [string, NanoCall])[] = [
  ["We don't use old/plan.txt any more, delete it", remove],
  ['Why is old/plan.txt still around? Bin it.', remove],
  ['who put cedar into plan.txt? it is larch, please correct it', edit],
  ['where plan.txt has cedar put larch', edit],
  ['what is cedar in plan.txt now is meant to be larch', edit],
  ['plan.txt should no longer list cedar', drop],
  ["I don't want to see the cedar line in plan.txt", drop],
  ['copy plan.txt to plan_b.txt, just in case', copy],
  ['Copy plan.txt to plan_b.txt if you have a minute', copy],
  ['run make report and see what happens', run],
]

test.each(wanted)('asked for: %s', (request, call) => {
  expect(moodAgainst(call, request) === undefined || mayBeWanted(call, request)).toBe(true)
})

const unwanted: readonly (readonly [string, NanoCall])[] = [
  ['delete old/plan.txt? no, leave it', remove],
  ["Delete old/plan.txt - no, don't", remove],
  ['old/plan.txt must not be deleted', remove],
  ["I don't want you to delete old/plan.txt", remove],
  ['Under no circumstances delete old/plan.txt', remove],
  ['if the roof holds, delete old/plan.txt', remove],
  ['should the roof hold, please delete old/plan.txt', remove],
  ['once the council agrees, change cedar to larch in plan.txt', edit],
  ['delete old/plan.txt, but not before I say so', remove],
  ['does make report take long; we run it on mondays?', run],
  ['"delete old/plan.txt" is what the note on the fridge says', remove],
  ['how does one delete old/plan.txt?', remove],
]

test.each(unwanted)('not wanted: %s', (request, call) => {
  expect(moodAgainst(call, request)).toBeDefined()
  expect(mayBeWanted(call, request)).toBe(false)
})
