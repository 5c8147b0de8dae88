/** The conversation on a real pty, in a handful of scenes; `defects.full.test.ts` has the rest. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
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

test('what is typed while it opens is asked when it is open', async () => {
  const screen = await openTerminal({ replies: [{ text: 'Hello.' }] })
  await screen.sees(/^covey$/m)

  screen.type(`Say hello${key.enter}`)

  await screen.sees('Hello.')
})

describe('line by line', () => {
  test.each([
    ['TERM=dumb', { env: { TERM: 'dumb' } }],
    ['--plain', { flags: ['--plain'] }],
    ['NO_COLOR', { env: { NO_COLOR: '1' } }],
  ])('%s gets no escape code, and everything works', async (_, options) => {
    const ask = { calls: [{ name: 'ask_user', input: { question: 'Which port?', options: ['80', '90'] } }] }
    const replies = [ask, run('touch b.txt'), { text: 'Then not.' }]
    const flags = [...('flags' in options ? options.flags : []), '-p', 'ask']
    const screen = await openTerminal({ ...options, flags, replies })
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

  test('Ctrl+C ends the run and not the conversation', async () => {
    const screen = await openTerminal({
      replies: [run('sleep 60'), { text: 'Here.' }],
      flags: ['--plain', '-p', 'bypass'],
    })
    await screen.sees(/^>$/m)
    screen.type('Wait\n')
    await screen.sees('run_command')

    screen.type(key.ctrl('c'))
    await screen.sees('cancelled')
    screen.type('Still there?\n')

    await screen.sees('Here.')
  })
})

describe('one prompt', () => {
  test('on a terminal it asks, and a yes lets it', async () => {
    const replies = [run('touch b.txt'), { text: 'Made.' }]
    const screen = await openTerminal({ replies, flags: ['-p', 'ask', 'Make b.txt'] })

    await screen.sees('Allow?')
    screen.type('y\n')

    await screen.sees('Made.')
    expect(await screen.ended).toBe(0)
    expect(readFileSync(join(screen.cwd, 'b.txt'), 'utf8')).toBe('')
  })

  test('it asks on the terminal also when stdin is a pipe', async () => {
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
})
