/** The conversation line by line does what the screen does; and what else a person meets before and beside it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { edit, key, openTerminal, run } from './terminal.ts'

test('what is typed while it opens is asked when it is open', async () => {
  const screen = await openTerminal({ replies: [{ text: 'Hello.' }] })
  await screen.sees(/^covey$/m)

  screen.type(`Say hello${key.enter}`)

  await screen.sees('Hello.')
})

describe('line by line', () => {
  test.each([
    ['--plain', { flags: ['--plain'] }],
    ['NO_COLOR', { env: { NO_COLOR: '1' } }],
  ])('%s gets no escape code, and every command works', async (_, options) => {
    const replies = [edit('a.txt', 'one', 'two'), { text: 'It is **two** now.' }, { text: 'A file.' }]
    const flags = [...('flags' in options ? options.flags : []), '-p', 'ask']
    const screen = await openTerminal({ ...options, flags, replies, size: [100, 60] })
    await screen.sees(/^>$/m)

    const says = async (line: string, wanted: string | RegExp): Promise<void> => {
      screen.type(`${line}\n`)
      await screen.saw(wanted)
    }
    await says('Make it two', /a\.txt \+1 -1[\s\S]*-one[\s\S]*\+two[\s\S]*Allow\?/)
    await says('y', /It is \*{0,2}two\*{0,2} now\.[\s\S]*>$/)
    await says('/context', 'system and tools')
    await says('/cost', 'requests:')
    await says('/diff', /\/diff[\s\S]*\+two/)
    await says('/undo', 'Undid "Make it two"')
    await says('@a.txt what is it?', /@a\.txt: \d+ tokens[\s\S]*A file\./)
    await says('/theme', 'no colours')
    await says('/mode', /1 {2}ask[\s\S]*number:$/)
    await says('2', /number: 2\s*\n>$/)
    await says('!echo from the shell', 'exit 0')
    await says('/etc', 'unknown command /etc')
    await says('/new', /session [\s\S]*session /)
    await says('/resume', /1 {2}Make it two[\s\S]*number:$/)
    await says('1', /› Make it two/)
    screen.type('exit\n')

    expect(await screen.ended).toBe(0)
    expect(screen.bytes()).not.toContain('\u001B')
    expect(readFileSync(join(screen.cwd, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('/shell gives the terminal to a shell and takes it back', async () => {
    const screen = await openTerminal({
      flags: ['--plain'],
      env: { SHELL: '/bin/bash', PROMPT_COMMAND: 'PS1="inner$ "' },
    })
    await screen.sees(/^>$/m)

    screen.type('/shell\n')
    await screen.sees(/inner\$$|\$$/m)
    screen.type('echo $((20 + 22)) > made.txt; exit\n')
    await screen.until('a file', () => existsSync(join(screen.cwd, 'made.txt')))
    await screen.sees(/exit[^]*\n>$/)
    screen.type('!cat made.txt\n')
    await screen.sees(/^42$/m)
    screen.type('quit\n')

    expect(await screen.ended).toBe(0)
  })

  test('/incognito keeps nothing of what follows', async () => {
    const screen = await openTerminal({ flags: ['--plain'], replies: [{ text: 'Noted.' }] })
    await screen.sees(/^>$/m)

    screen.type('/incognito\n')
    await screen.saw('Nothing of this conversation is kept')
    screen.type('my private words\n')
    await screen.sees(/Noted\.\s*\n>$/)
    screen.type('quit\n')

    expect(await screen.ended).toBe(0)
    const home = String(screen.home['HOME'])
    const kept = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('replies-'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    expect(kept.join('')).not.toContain('my private words')
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

test('on a terminal it asks, and a yes lets it', async () => {
  const replies = [run('touch b.txt'), { text: 'Made.' }]
  const screen = await openTerminal({ replies, flags: ['-p', 'ask', 'Make b.txt'] })

  await screen.sees('Allow?')
  screen.type('y\n')

  await screen.sees('Made.')
  expect(await screen.ended).toBe(0)
  expect(readFileSync(join(screen.cwd, 'b.txt'), 'utf8')).toBe('')
})
