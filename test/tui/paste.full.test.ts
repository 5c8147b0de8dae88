/** Ctrl+V with a picture in the clipboard, at a real terminal. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { key, ready } from './terminal.ts'

const picture = new URL('../../docs/terminal/start.png', import.meta.url).pathname

function clipboard(line: string): NodeJS.ProcessEnv {
  const bin = mkdtempSync(join(tmpdir(), 'covey-bin-'))
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }))
  writeFileSync(join(bin, 'wl-paste'), `#!/bin/sh\n${line}\n`)
  chmodSync(join(bin, 'wl-paste'), 0o755)
  return { WAYLAND_DISPLAY: 'wayland-0', PATH: `${bin}:${process.env['PATH']}` }
}

test('a picture is named where the cursor is, and a model that cannot see is no secret', async () => {
  const screen = await ready({
    size: [120, 30],
    env: clipboard(`cat ${picture}`),
    replies: [{ text: 'I cannot see it.' }],
  })

  screen.type('What is on ')
  screen.type(key.ctrl('v'))
  await screen.sees(/─\nWhat is on \[Image: \.covey\/pasted\/[\d-]+\.png\]/)
  screen.type(`?${key.enter}`)

  await screen.saw(/pasted\/[\d-]+\.png is sent as text: this model cannot see images\./)
  await screen.saw('I cannot see it.')
})

test('without a picture the message stays as it is, and the reason is shown', async () => {
  const screen = await ready({ size: [120, 30], env: clipboard('exit 1') })

  screen.type('What is this?')
  screen.type(key.ctrl('v'))
  await screen.saw('covey: There is no picture in the clipboard.')
  screen.type(' Hm.')

  expect(await screen.sees(/─\nWhat is this\? Hm\./)).not.toContain('[Image')
})
