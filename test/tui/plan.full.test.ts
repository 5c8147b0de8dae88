/** A plan with checks, as a person works with it at the terminal and line by line. */
import { describe, expect, test } from 'vitest'
import { key, openTerminal, ready, type Reply } from './terminal.ts'

const enter = (text: string): string => text + key.enter

const write: Reply = { calls: [{ name: 'write_file', input: { path: 'b.txt', content: 'two\n' } }] }
const done: Reply = { text: 'It is made.' }

describe('/plan on the screen', () => {
  async function planned(check: string, replies: readonly Reply[], flags: readonly string[] = []) {
    const screen = await ready({ size: [120, 36], replies, flags: ['-p', 'bypass', ...flags] })
    screen.type(enter('/plan add Make something new'))
    await screen.sees('[ ] 1. Make something new')
    screen.type(enter(`/plan check 1 ${check}`))
    await screen.sees(`[check: ${check}]`)
    screen.type(enter('/plan run'))
    return screen
  }

  test('a check that passes ends the task, and the box comes back', async () => {
    const screen = await planned('test -f b.txt', [write, done])

    await screen.saw(/→ write_file b\.txt[^]*→ check test -f b\.txt[^]*✓ check passed/)
    await screen.saw('task 1 done: It is made. (check `test -f b.txt` passed)')
    await screen.saw(/Every task is done[^]*exit 0/)
    screen.type(enter('/plan'))
    await screen.saw(/\[x\] 1\. Make something new \[check: test -f b\.txt\]/)
    screen.type('the box is back')
    await screen.sees(/─\nthe box is back/)
  })

  test('a check that fails gives the model one more try, then blocks the task with its output', async () => {
    const screen = await planned('test -f c.txt || { echo no c.txt; false; }', [done, done, done])

    await screen.saw(/→ check test -f c\.txt[^]*✗ no c\.txt[^]*→ check test -f c\.txt/)
    await screen.saw(/task 1 blocked: the check [^]*failed: no c\.txt \| \[exit 1\]/)
    await screen.saw(/What is left is blocked[^]*exit 3/)
  })

  test('a check that would need a question is not run', async () => {
    const screen = await planned('touch made-by-check.txt', [done], ['-p', 'accept-edits'])

    await screen.saw(/✗ check not run: touch made-by-check\.txt/)
    await screen.saw(/task 1 blocked: the check `touch made-by-check\.txt` was not run: /)
    await screen.saw('exit 3')
  })

  test('Ctrl+C stops the work, not the conversation', async () => {
    const screen = await planned('sleep 60', [done])
    await screen.saw('→ check sleep 60')

    screen.type(key.ctrl('c'))
    await screen.saw(/Interrupted; `covey plan run` goes on from here\.[^]*exit 130/)
    screen.type(enter('/plan'))

    await screen.saw('[>] 1. Make something new [check: sleep 60]')
  })
})

test('plain mode shows the same, line by line', async () => {
  const screen = await openTerminal({ flags: ['--plain', '-p', 'bypass'], replies: [write, done] })
  await screen.sees(/^>$/m)

  screen.type('/plan add Make something new\n')
  await screen.saw('[ ] 1. Make something new')
  screen.type('/plan check 1 test -f b.txt\n')
  await screen.saw('[check: test -f b.txt]')
  screen.type('/plan run\n')

  await screen.saw(/→ check test -f b\.txt[^]*✓ check passed: test -f b\.txt/)
  await screen.sees(/Every task is done[^]*\n>$/)
  screen.type('quit\n')
  expect(await screen.ended).toBe(0)
})
