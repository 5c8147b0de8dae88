/** The bell on a real pty: only while another window has the focus, and never line by line. */
import { expect, test } from 'vitest'
import { key, openTerminal, ready, run } from './terminal.ts'

const question = { calls: [{ name: 'ask_user', input: { question: 'Which one?', options: ['a', 'b'] } }] }
const bells = (bytes: string): number => bytes.split('\u0007').length - 1

test('a question rings when another window has the focus, and focus reports are no input', async () => {
  const screen = await ready({ replies: [question, question, { text: 'Done.' }], flags: ['-p', 'ask'] })
  expect(screen.bytes()).toContain('\u001B[?1004h')
  const before = bells(screen.bytes())

  screen.type(`Go${key.enter}`)
  await screen.sees('Which one?')
  expect(bells(screen.bytes())).toBe(before)
  screen.type('\u001B[O')
  screen.type('1')
  await screen.until('a bell', () => bells(screen.bytes()) === before + 1)
  await screen.sees('Which one?')
  screen.type('\u001B[I2')
  await screen.sees('Done.')
  await screen.idle()
  expect(screen.shown()).toMatch(/─\n\s*\n─/)
  screen.type(`exit${key.enter}`)

  expect(await screen.ended).toBe(0)
  expect(bells(screen.bytes())).toBe(before + 1)
  expect(screen.bytes().lastIndexOf('\u001B[?1004l')).toBeGreaterThan(
    screen.bytes().lastIndexOf('\u001B[?1004h'),
  )
})

test('line by line nothing rings, also where it should always', async () => {
  const screen = await openTerminal({
    replies: [question, run('true'), { text: 'Done.' }],
    flags: ['--plain', '-p', 'bypass'],
    env: { COVEY_TUI__NOTIFY: 'always', COVEY_TUI__NOTIFY_AFTER_S: '0' },
  })
  await screen.sees(/^>$/m)

  screen.type('Go\n')
  await screen.sees('Which one?')
  screen.type('1\n')
  await screen.sees('Done.')
  screen.type('quit\n')

  expect(await screen.ended).toBe(0)
  expect(bells(screen.bytes())).toBe(0)
})
