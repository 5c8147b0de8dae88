/** What is said behind an order: remarks, which make it a question, and what belongs to the order. */
import { expect, test } from 'vitest'
import { hasRemark } from '../../../src/nano/intent/remark.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const move: NanoCall = { name: 'move_file', input: { from: 'plan.txt', to: 'docs/plan.txt' } }
const append: NanoCall = {
  name: 'write_file',
  input: { path: 'list.txt', content: 'ring the bank, then lunch', append: true },
}

test.each<[string, NanoCall]>([
  ['move plan.txt into docs, right, as if that helped anybody', move],
  ['Move plan.txt to docs/plan.txt. oh, that is the other project', move],
  ['move plan.txt into docs - my boss would love that', move],
  ['move plan.txt into docs, move it back: that was my whole Tuesday', move],
  ['move plan.txt into docs, as they say in the other team', move],
  ['append "ring the bank, then lunch" to list.txt, hm, did that already', append],
])('a remark: %s', (request, call) => {
  expect(hasRemark(call, request)).toBe(true)
})

test.each<[string, NanoCall]>([
  ['move plan.txt into docs', move],
  ['Move plan.txt into docs, please. Thanks!', move],
  ['move plan.txt into docs, then list it', move],
  ['move plan.txt, in the main folder, into docs', move],
  ['move plan.txt into docs, because it belongs there', move],
  ['We have a new folder. Move plan.txt into docs.', move],
  ['append ring the bank, then lunch to list.txt', append],
  ['append "ring the bank, then lunch" to list.txt and show it', append],
])('no remark: %s', (request, call) => {
  expect(hasRemark(call, request)).toBe(false)
})
