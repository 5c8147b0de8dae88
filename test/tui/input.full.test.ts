/** What is typed, pasted and started from the box, and `covey plan run`, on a real pty. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { covey } from '../support/covey.ts'
import { coveyProgram } from '../support/program.ts'
import { edit, key, openTerminal, ready, type Reply } from './terminal.ts'

test('messages that are typed at once are sent in their order, also when the first one names a file', async () => {
  const words = ['@a.txt first', 'second', 'third', 'fourth', 'fifth']
  const replies = words.map((_, at) => ({ text: `Answer ${at}.` }))
  const screen = await ready({ replies, size: [80, 50] })

  for (const word of words) screen.type(`${word}${key.enter}`)
  await screen.saw('Answer 4.')

  const sent = [...(await screen.now()).matchAll(/^› (.*?) *$/gm)].map((match) => match[1])
  expect(sent).toEqual(words)
})

test('a paste of 2,000 lines is sent whole and shown folded', async () => {
  const screen = await ready({ replies: [{ text: 'Long.' }] })
  const lines = Array.from({ length: 2000 }, (_, at) => `row ${at + 1}`)

  screen.type(key.paste(lines.join('\n')))
  await screen.sees('[pasted 2000 lines]')
  screen.type(key.enter)
  await screen.sees('Long.')
  await screen.idle()
  screen.type(`exit${key.enter}`)
  await screen.ended

  expect(await screen.now()).toMatch(/row 99\s*\n\s*… 1901 more lines/)
  expect(await screen.now()).not.toContain('row 1000')
  const [id = ''] = /\d{8}-\d{4}-\w{4}/.exec(await screen.now()) ?? []
  const exported = await covey(['sessions', 'export', id], { cwd: screen.cwd, env: screen.home })
  expect(exported.out).toContain('row 2000')
})

test('/copy gives the last answer to the clipboard of the terminal', async () => {
  const screen = await ready({ replies: [{ text: 'Die Größe ist **42**.' }] })
  screen.type(`/copy${key.enter}`)
  await screen.sees('There is no answer yet')
  screen.type(`How large?${key.enter}`)
  await screen.sees('Die Größe')
  await screen.idle()

  screen.type(`/copy${key.enter}`)
  await screen.sees('Copied 21 characters')

  const [, copied = ''] = /\u001B\]52;c;([\w+/=]+)\u0007/.exec(screen.bytes()) ?? []
  expect(Buffer.from(copied, 'base64').toString()).toBe('Die Größe ist **42**.')
})

test('what !!command prints stays with the person, what !command prints goes to the model', async () => {
  const screen = await ready({ replies: [{ text: 'Seen.' }] })
  for (const command of ['!!echo $((40 + 1))', '!echo $((40 + 2))']) {
    screen.type(`${command}${key.enter}`)
    await screen.sees(new RegExp(`${command.includes('+ 1') ? 41 : 42}\\s*\\nexit 0`))
  }

  screen.type(`What did I run?${key.enter}`)
  await screen.sees('Seen.')
  await screen.idle()

  const folder = join(String(screen.home['HOME']), 'data', 'covey', 'sessions')
  const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
  expect(logs).toContain('$ echo $((40 + 2))\\n42')
  expect(logs).not.toContain('40 + 1')
})

const hasVim = existsSync('/usr/bin/vi') || existsSync('/usr/bin/vim.tiny')

test.skipIf(!hasVim)(
  '!vi has the whole terminal, and the conversation comes back (skipped: needs vi)',
  async () => {
    const screen = await ready({ replies: [{ text: 'Two lines.' }] })

    screen.type(`!vi a.txt${key.enter}`)
    await screen.sees(/one\s*\n~/)
    screen.type('onew words\u001B:wq\r')
    await screen.sees(/exit 0 · .*\n─/)
    screen.type(`What is in it?${key.enter}`)

    await screen.sees('Two lines.')
    expect(readFileSync(join(screen.cwd, 'a.txt'), 'utf8')).toBe('one\nnew words\n')
    expect(screen.shown()).not.toMatch(/^~/m)
  },
)

describe('covey plan run', () => {
  async function planned(task: string, replies: readonly Reply[]) {
    const first = await openTerminal({ argv: () => [process.execPath, ...coveyProgram, 'plan', 'add', task] })
    expect(await first.ended).toBe(0)
    const { cwd, home } = first
    const run = await openTerminal({
      cwd,
      home,
      replies,
      size: [120, 30],
      argv: (covey) => [
        ...covey.slice(0, covey.indexOf('--model')),
        'plan',
        'run',
        ...covey.slice(covey.indexOf('--model')),
        '--permission',
        'accept-edits',
      ],
    })
    const code = await run.ended
    const list = await openTerminal({
      cwd,
      home,
      argv: () => [process.execPath, ...coveyProgram, 'plan'],
      size: [120, 30],
    })
    await list.ended
    return { code, said: await run.now(), list: await list.now() }
  }

  const CLAIM = { text: 'I have changed a.txt as you asked. Everything is done.' }

  test('an answer alone does not tick a task that names a file', async () => {
    const { code, list } = await planned('Change one to two in a.txt', [
      CLAIM,
      CLAIM,
      CLAIM,
      CLAIM,
      CLAIM,
      CLAIM,
    ])

    expect(code).not.toBe(0)
    expect(list).not.toContain('[x]')
  })

  test('a task that the answer calls blocked stays open, with the reason', async () => {
    const blocked = { text: 'BLOCKED: a.txt is made by another program' }
    const { code, said, list } = await planned('Change one to two in a.txt', [blocked, blocked, blocked])

    expect(code).toBe(3)
    expect(said).toContain('What is left is blocked')
    expect(list).toMatch(/\[!\] 1\. Change one to two in a\.txt.*a\.txt is made by another program/)
  })

  test('a task is ticked when the file it names was changed', async () => {
    const { code, list } = await planned('Change one to two in a.txt', [edit('a.txt', 'one', 'two'), CLAIM])

    expect(code).toBe(0)
    expect(list).toContain('[x] 1. Change one to two in a.txt')
  })
})
