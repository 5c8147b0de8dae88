/** Vim's keys on a real pty. */
import { expect, test } from 'vitest'
import { key, ready } from './terminal.ts'

test('modes are shown, a message is changed in normal mode and sent; Esc on an empty box goes back', async () => {
  const screen = await ready({
    replies: [{ text: 'First answer.' }],
    env: { COVEY_TUI__KEYS: 'vim' },
  })
  await screen.sees(/^INSERT · scripted/m)

  screen.type('one two')
  await screen.sees('one two')
  screen.type(key.escape)
  await screen.sees(/^NORMAL · scripted/m)
  screen.type('bcwthree')
  await screen.sees(/─\none three\s*\n─[^]*INSERT/)
  screen.type(key.escape)
  await screen.sees('NORMAL')
  screen.type(`dd`)
  await screen.sees(/─\n\s*\n─/)
  screen.type('uG$')
  await screen.sees('one three')
  screen.type(key.enter)
  await screen.sees('First answer.')
  await screen.sees(/› one three[^]*INSERT/)
  await screen.idle()
  screen.type(key.escape)
  await screen.sees('Esc again goes back')
  screen.type(key.escape)

  expect(await screen.sees('Go back to before')).toContain('one three')
})
