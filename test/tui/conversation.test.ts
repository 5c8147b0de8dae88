/** The conversation on a real pty, in three processes; the `full` tests beside this one have the rest. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { edit, key, openTerminal, ready, run } from './terminal.ts'

test('a prompt, an edit that is asked for, an answer, the end', async () => {
  const replies = [edit('a.txt', 'one', 'two'), { text: 'It is **two** now.' }]
  const screen = await ready({ replies, flags: ['-p', 'ask'] })

  screen.type(`Make it two${key.enter}`)
  const question = await screen.sees('Yes, once')
  expect(question).toMatch(/a\.txt \+1 -1\s*\n@@ -1,1 \+1,1 @@\s*\n-one\s*\n\+two/)
  screen.type('y')
  await screen.sees('It is two now.')
  await screen.idle()
  screen.type(`exit${key.enter}`)

  expect(await screen.ended).toBe(0)
  expect(readFileSync(join(screen.cwd, 'a.txt'), 'utf8')).toBe('two\n')
  expect(screen.bytes()).not.toMatch(/\u001B\[[23]J/)
})

test('TERM=dumb: the conversation line by line, without an escape code', async () => {
  const ask = { calls: [{ name: 'ask_user', input: { question: 'Which port?', options: ['80', '90'] } }] }
  const replies = [ask, run('touch b.txt'), { text: 'Then not.' }]
  const screen = await openTerminal({ env: { TERM: 'dumb' }, flags: ['-p', 'ask'], replies })
  await screen.sees(/^>$/m)

  screen.type('Go\n')
  await screen.sees(/Which port\?\s+1 {2}80\s+2 {2}90\s+\?/)
  screen.type('2\n')
  await screen.sees('Allow?')
  screen.type('no, use c.txt\n')
  await screen.sees('Then not.')
  screen.type('!false\n')
  await screen.sees('exit 1')
  screen.type('/sessions\n')
  await screen.sees(/\d{8}-\d{4}-\w+ {2}Go/)
  screen.type('quit\n')

  expect(await screen.ended).toBe(0)
  expect(screen.bytes()).not.toContain('\u001B')
})

test('one prompt asks on the terminal also when stdin is a pipe', async () => {
  const screen = await openTerminal({
    replies: [run('touch b.txt'), { text: 'Made.' }],
    flags: ['-p', 'ask'],
    argv: (covey) => ['/bin/sh', '-c', `echo Make b.txt | ${covey.map((word) => `'${word}'`).join(' ')}`],
  })

  await screen.sees('Allow?')
  screen.type('y\n')

  await screen.sees('Made.')
  expect(await screen.ended).toBe(0)
})
