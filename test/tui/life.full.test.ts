/** What a person sees while a real server is slow, and what is left of an answer that was cut off: on a real pty. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { coveyProgram } from '../support/program.ts'
import { startServer } from './slow-server.ts'
import { key, openTerminal, ready } from './terminal.ts'

test('the prefill of llama.cpp, then the first word before the reply is whole', async () => {
  const { argv, asked } = await startServer()
  const screen = await ready({ argv })
  screen.type(`Say it${key.enter}`)
  const say = await screen.until('question', () => asked[0])

  say({ progress: { total: 900, cache: 200, processed: 550, time_ms: 9 } })
  await screen.sees('reading 550 of 900 tokens (61 %), 200 from cache')
  say({ content: ' Hello' })
  say({ content: ' wor' })

  expect(await screen.sees('Hello')).toContain('writing')
})

test('a first token that nothing follows is on the screen within 50 ms', async () => {
  const { argv, asked } = await startServer()
  const screen = await ready({ argv })
  const times: number[] = []
  for (let round = 0; round < 20; round++) {
    screen.type(`Say it ${round}${key.enter}`)
    const say = await screen.until('question', () => asked[round])
    const word = `Wo${'abcdefghijklmnopqrst'[round]}`

    const since = performance.now()
    // Its last letters may be the first of a secret of this machine.
    say({ content: `${word}nder` })
    await screen.until(word, () => screen.bytes().includes(word))
    times.push(performance.now() - since)

    screen.type(key.escape)
    await screen.idle()
  }

  // The fastest of them says what the program itself adds; a busy machine adds to the others.
  expect(Math.min(...times)).toBeLessThanOrEqual(50)
  expect(times.toSorted((a, b) => a - b)[10]).toBeLessThanOrEqual(250)
})

test('the partial answer of a cancelled one-shot is on the screen and in the session', async () => {
  const { argv, asked } = await startServer()
  const screen = await openTerminal({ argv: () => [...argv(), 'Say it'] })
  const say = await screen.until('question', () => asked[0])
  say({ content: 'Half of an answer that ' })
  say({ content: 'is cut off ' })
  await screen.sees('Half of an answer')

  screen.type(key.ctrl('c'))

  expect(await screen.ended).toBe(130)
  expect(screen.all()).toContain('Half of an answer that')
  const folder = join(String(screen.home['HOME']), 'data', 'covey', 'sessions')
  const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(logs.join('')).toContain('Half of an answer that')
})

describe('commands', () => {
  test('/shell lends the terminal to a shell and takes it back', async () => {
    const screen = await ready({ env: { SHELL: '/bin/bash', PROMPT_COMMAND: 'PS1="inner$ "' } })
    screen.type(`/shell${key.enter}`)
    await screen.sees('inner$')

    screen.type('echo "<$((20 + 22))>"; exit\n')
    // Keys belong to the shell until it has ended.
    await screen.sees(/^<42>\nexit\n─[^]*\n─/m)

    screen.type('back in the box')
    await screen.sees(/─\nback in the box/)
    expect(screen.shown()).toContain('<42>')
  })

  test('a shell whose last line has no end keeps it', async () => {
    const screen = await ready({ env: { SHELL: '/bin/bash', PROMPT_COMMAND: 'PS1="inner$ "' } })
    screen.type(`/shell${key.enter}`)
    await screen.sees('inner$')

    screen.type("exec printf '<%d>' $((20 + 22))\n")

    await screen.sees(/^<42> *\n─+\n/m)
    await screen.idle()
    screen.resize(60, 24)
    await screen.until(
      'one box of the new width',
      () =>
        screen
          .shown()
          .match(/^─+$/gm)
          ?.join(' ') === `${'─'.repeat(60)} ${'─'.repeat(60)}`,
    )
    expect(screen.shown()).toMatch(/^<42> *$/m)
  })

  test('/incognito keeps nothing of what follows, also after /new', async () => {
    const screen = await ready({ replies: [{ text: 'Noted.' }] })
    screen.type(`/new${key.enter}`)
    await screen.saw(/session [^]*session /)
    await screen.idle()
    screen.type(`/incognito${key.enter}`)
    await screen.sees('Nothing of this conversation is kept')
    screen.type(`my private words${key.enter}`)
    await screen.sees('Noted.')
    await screen.idle()
    screen.type(`exit${key.enter}`)

    expect(await screen.ended).toBe(0)
    expect(screen.all()).not.toContain('--resume-id')
    const home = String(screen.home['HOME'])
    const kept = readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('replies-'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    expect(kept.join('')).not.toContain('my private words')
  })

  test('/theme is remembered', async () => {
    const first = await ready()
    first.type(`/theme mono${key.enter}`)
    await first.until('file', () =>
      readdirSync(String(first.home['HOME']), { recursive: true, encoding: 'utf8' }).find((name) =>
        name.endsWith('/theme'),
      ),
    )
    first.type(`exit${key.enter}`)
    await first.ended

    const again = await ready({ cwd: first.cwd, home: first.home })
    again.type(`/nothing${key.enter}`)
    await again.sees('unknown command')

    expect(again.bytes()).not.toMatch(/\u001B\[(?:3[1-6]|9[1-6])m/)
  })

  test('Esc at a question of the model ends the run and not the program', async () => {
    const ask = { calls: [{ name: 'ask_user', input: { question: 'Which?', options: ['a', 'b'] } }] }
    const screen = await ready({ replies: [ask, { text: 'Then not.' }] })
    screen.type(`Go${key.enter}`)
    await screen.sees('Something else')

    screen.type(key.escape)

    await screen.sees('Cancelled.')
    await screen.idle()
    screen.type('still here')
    await screen.sees('still here')
  })

  test('Ctrl+R searches earlier messages', async () => {
    const screen = await ready({ replies: [{ text: 'One.' }] })
    screen.type(`first of all${key.enter}`)
    await screen.sees('One.')
    await screen.idle()

    screen.type(key.ctrl('r'))
    await screen.sees('Earlier messages')
    screen.type(`all${key.enter}`)

    await screen.sees(/─\nfirst of all/)
  })

  test('a paste that arrives in pieces keeps its order', async () => {
    const screen = await ready()
    const words = Array.from({ length: 9 }, (_, at) => `word${at}`)

    screen.type('\u001B[200~')
    for (const word of words) screen.type(`${word} `)
    screen.type('\u001B[201~')

    await screen.sees(words.join(' '))
  })
})

describe('one line', () => {
  test('--json: the first line has the session id', async () => {
    const screen = await openTerminal({
      replies: [{ text: 'Yes.' }],
      flags: ['--json', 'Go'],
      size: [400, 30],
    })

    expect(await screen.ended).toBe(0)
    const [first = ''] = (await screen.saw('sessionId')).split('\n')
    expect(JSON.parse(first)).toMatchObject({ sessionId: expect.stringMatching(/^\d{8}-\d{4}-\w+$/) })
  })

  test.each([
    ['version', /^\d+\.\d+\.\d+/],
    ['completion', /bash.*zsh.*fish/],
  ])('covey %s does not ask the model', async (word, wanted) => {
    const screen = await openTerminal({
      argv: () => [process.execPath, ...coveyProgram, word],
      size: [200, 30],
    })

    await screen.ended
    expect(screen.all()).toMatch(wanted)
    expect(screen.all()).not.toContain('model')
  })
})
