/** One scene with bash, the plain loop, one question. `scenes.full.test.ts` has all three shells. */
import { expect, test } from 'vitest'
import { covey } from '../support/covey.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { key } from '../tui/terminal.ts'
import { missing, openShell, ready } from './scene.ts'

const needsBash = missing('bash')
const why = needsBash ? ' (skipped: bash is not installed)' : ''

test.skipIf(needsBash)(
  `bash: a failing command, a question about it, a proposal edited and run${why}`,
  async () => {
    const replies = [{ text: 'The file is **missing**.\n\nCMD: touch nothing.txt' }]
    const screen = await ready('bash', { replies })

    screen.enter('hi; fn there; ls nowhere')
    await screen.sees(/aliased\nfunction there\nls: .*nowhere.*\nready>$/)
    screen.enter('why does that fail?')
    const answer = await screen.sees(/drops it\nready> touch nothing\.txt$/)
    screen.type(`${key.ctrl('w')}made.txt`)
    await screen.sees('ready> touch made.txt')
    screen.type(' && ls\r')
    const after = await screen.sees(/a\.txt\s+made\.txt\nready>$/)
    screen.type(key.ctrl('d'))

    expect(answer).toMatch(/ready> why does that fail\?\n\nThe file is missing\./)
    expect(answer).toMatch(/^writes .* · Enter runs it · Ctrl\+C drops it$/m)
    expect(after).not.toContain('nothing.txt\nready')
    expect(await screen.ended).toBe(0)
    const [asked = ''] = await screen.asked()
    expect(asked).toMatch(
      /\n\[exec output\]\n\S+ \$ hi; fn there; ls nowhere\naliased\nfunction there\nls: .*nowhere.*\n\[exit 2\]\n\nwhy does that fail\?$/,
    )
  },
)

test('TERM=dumb: the same rules line by line, without an escape code', async () => {
  const replies = [{ text: 'Because.\n\nCMD: echo proposed' }]
  const screen = await openShell('bash', { replies, env: { TERM: 'dumb' } })
  await screen.sees(/\$$/)

  screen.type('X=kept; cd /; ls nowhere\n')
  await screen.sees(/\[exit 2\]\n\$$/)
  screen.type('echo $X in $PWD\n')
  await screen.sees(/\nkept in \/\n\$$/)
  screen.type('why does that fail?\n')
  await screen.sees('[echo proposed] $')
  await screen.presses('\n', /\nproposed\n\$$/)
  screen.type('rm the old things\n')
  await screen.sees(/The script has 1 reply[^$]*\$$/)
  screen.type('exit 7\n')

  expect(await screen.ended).toBe(7)
  expect(screen.bytes()).not.toContain('\u001B')
})

test('--once answers on stderr and gives the command on stdout, for a key binding', async () => {
  const env = await emptyHome()
  const script = join(String(env['HOME']), 'replies.jsonl')
  await writeFile(script, `${JSON.stringify({ text: 'Like this:\nCMD: ls -la' })}\n`)
  const cwd = await tempProject({})

  const run = await covey(['shell', '--model', `scripted:${script}`, '--once', '? how do I list files'], {
    env,
    cwd,
  })

  expect(run).toEqual({ code: 0, out: 'ls -la', err: 'Like this:\nCMD: ls -la\n' })
})

test('without a terminal it says what to use instead', async () => {
  const env = { ...(await emptyHome()), SHELL: '/bin/bash', TERM: 'xterm' }

  const run = await covey(['shell'], { env, cwd: await tempProject({}) })

  expect(run.code).toBe(2)
  expect(run.err).toContain('covey shell --once "question"')
})
