/** What went wrong on the terminal once, each on a real pty. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scenes } from './hostile.ts'
import { edit, key, openTerminal, ready, run } from './terminal.ts'

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)

describe('commands of the person', () => {
  test('Ctrl+C stops the command and nothing else; what is typed next goes into the box', async () => {
    const screen = await ready()
    screen.type(`!echo pid $$; sleep 600${key.enter}`)
    await screen.sees(/pid \d+/)
    const pid = Number(/pid (\d+)/.exec(screen.shown())?.[1])

    screen.type(key.ctrl('c'))

    await screen.sees('stopped')
    await screen.until('dead command', () => !isAlive(pid))
    screen.type('still here')
    expect(await screen.sees('still here')).toContain('stopped')
  })

  test('its exit code is shown', async () => {
    const screen = await ready()

    screen.type(`!false${key.enter}`)

    await screen.sees('exit 1')
  })

  test('an editor gets the whole terminal and gives it back', async () => {
    const screen = await ready({ env: { PATH: process.env['PATH'] } })
    await writeFile(join(screen.cwd, 'less'), '')

    screen.type(`!less a.txt${key.enter}`)
    await screen.sees('(END)')
    screen.type('q')

    await screen.sees('exit 0')
    expect(screen.all()).not.toContain('edit_file')
    screen.type('back')
    await screen.sees('back')
  })

  test('what it printed goes with the next message', async () => {
    const screen = await ready({ replies: [{ text: 'Seen.' }] })
    screen.type(`!echo from-the-shell${key.enter}`)
    await screen.sees('exit 0')

    screen.type(`What did it say?${key.enter}`)
    await screen.sees('Seen.')
    await screen.idle()
    screen.type(`/export json${key.enter}`)

    await screen.saw(/\$ echo\s+from-the-shell/)
  })
})

describe('keys', () => {
  test('Ctrl+C with text clears the text, twice on an empty box quits and names the session', async () => {
    const screen = await ready()
    screen.type('some words')
    await screen.sees('some words')

    screen.type(key.ctrl('c'))
    await screen.gone('some words')
    screen.type(key.ctrl('c'))
    await screen.sees('Ctrl+C again')
    screen.type(key.ctrl('c'))

    expect(await screen.ended).toBe(0)
    await screen.until('after the end', () => /covey --resume-id \d{8}-\d{4}-\w+/.test(screen.all()))
  })

  test('Esc cancels the run, and what was queued comes back into the box', async () => {
    const screen = await ready({ replies: [run('sleep 600'), { text: 'x' }], flags: ['-p', 'bypass'] })
    screen.type(`Wait${key.enter}`)
    await screen.sees('running run_command')
    screen.type(`then this${key.enter}`)
    await screen.sees('queued: then this')

    screen.type(key.escape)

    await screen.sees('Cancelled.')
    await screen.idle()
    expect(screen.shown()).toMatch(/─\nthen this\s*\n─/)
  })

  test('Ctrl+Z and fg: the shell has the terminal, then the conversation goes on', async () => {
    const screen = await openTerminal({
      argv: () => ['bash', '--norc', '--noprofile', '-i'],
      env: { PS1: 'shell$ ' },
    })
    await screen.sees('shell$')
    const covey = await coveyLine(screen.script)
    screen.type(`${covey}\n`)
    await screen.sees('/help for help')
    screen.type('half a sen')
    await screen.sees('half a sen')

    screen.type(key.ctrl('z'))
    await screen.sees(/Stopped[^\n]*\n+(?:.*\n)*shell\$ *$/)
    screen.type('echo in the shell\n')
    await screen.sees(/^in the shell/m)
    screen.type('fg\n')
    await screen.sees('half a sen')
    screen.type('tence')

    await screen.sees('half a sentence')
  })

  test('a paste of many lines is one message', async () => {
    const screen = await ready({ replies: [{ text: 'One message.' }] })
    const lines = Array.from({ length: 48 }, (_, index) => `line ${index}`).join('\n')

    screen.type(key.paste(lines))
    await screen.sees('[pasted 48 lines]')
    screen.type(key.enter)
    await screen.sees('One message.')
    await screen.idle()

    screen.type(`/cost${key.enter}`)
    await screen.sees('requests:')
    expect(screen.all().match(/^› /gm)).toHaveLength(1)
    expect(screen.all()).toContain('line 47')
  })

  test('Up at a question does not recall a prompt', async () => {
    const screen = await ready({
      replies: [{ text: 'Hi.' }, run('touch b.txt'), { text: 'Then not.' }],
      flags: ['-p', 'ask'],
    })
    screen.type(`first prompt${key.enter}`)
    await screen.sees('Hi.')
    await screen.idle()
    screen.type(`Make b${key.enter}`)
    await screen.sees('Yes, once')

    screen.type(key.up)
    screen.type(key.up)
    screen.type(key.enter)

    await screen.sees('Then not.')
    expect(existsSync(join(screen.cwd, 'b.txt'))).toBe(false)
  })

  test('keys typed before the question do not answer it', async () => {
    const replies = [run('sleep 3'), run('touch b.txt'), { text: 'Done.' }]
    const screen = await ready({ replies, flags: ['-p', 'ask'] })
    screen.type(`Go${key.enter}`)
    await screen.sees('running run_command')
    screen.type('y')
    await screen.sees(/─\ny\s*\n─/)

    await screen.sees('touch b.txt')
    await screen.sees('Yes, once')

    expect(existsSync(join(screen.cwd, 'b.txt'))).toBe(false)
  })
})

/** The command line that starts Covey, for a shell. */
async function coveyLine(script: string): Promise<string> {
  const { coveyProgram } = await import('../support/program.ts')
  return [process.execPath, ...coveyProgram, '--model', `scripted:${script}`].join(' ')
}

describe('questions', () => {
  test('an edit is seen before it is allowed, with its counts', async () => {
    const screen = await ready({
      replies: [edit('a.txt', 'one', 'two'), { text: 'Done.' }],
      flags: ['-p', 'ask'],
    })

    screen.type(`Edit${key.enter}`)
    const shown = await screen.sees('Yes, once')

    expect(shown).toMatch(/a\.txt \+1 -1\s*\n@@ -1,1 \+1,1 @@\s*\n-one\s*\n\+two/)
    screen.type('n')
    await screen.sees('Done.')
    expect(readFileSync(join(screen.cwd, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('always is offered for a test script and not for what destroys', async () => {
    const files = { 'test.js': '' }
    const screen = await ready({
      replies: [run('node test.js'), run('rm -rf build && git push --force'), { text: 'Done.' }],
      flags: ['-p', 'ask'],
      files,
    })

    screen.type(`Go${key.enter}`)
    expect(await screen.sees('Yes, once')).toContain('Always: allow')
    screen.type('n')
    await screen.sees('git push --force')
    const shown = await screen.sees('Yes, once')

    expect(shown).not.toContain('Always')
  })

  test('a reason for a no reaches the model', async () => {
    const screen = await ready({
      replies: [run('touch b.txt'), { text: 'Understood.' }],
      flags: ['-p', 'ask'],
    })
    screen.type(`Go${key.enter}`)
    await screen.sees('Yes, once')

    screen.type('r')
    await screen.sees('Enter says it')
    screen.type(`use c.txt${key.enter}`)

    await screen.sees('Understood.')
    expect(screen.all()).toContain('not allowed: The person said no: use c.txt')
  })

  test('ask_user: the question comes first, and 2 means the second', async () => {
    const ask = {
      calls: [{ name: 'ask_user', input: { question: 'Which port?', options: ['8080', '9090'] } }],
    }
    const screen = await ready({ replies: [ask, { text: 'Chosen.' }] })
    screen.type(`Go${key.enter}`)
    await screen.sees(/\? Which port\?\s*\n❯ 1 {2}8080\s*\n {2}2 {2}9090/)

    screen.type('2')
    await screen.sees('Chosen.')
    await screen.idle()
    screen.type(`/export json${key.enter}`)

    await screen.saw(/"text": ?"9090"/)
  })
})

describe('what is shown', () => {
  test('text comes from the first word', async () => {
    const screen = await ready({ replies: [{ text: 'Short.' }] })

    screen.type(`Go${key.enter}`)

    await screen.sees('Short.')
  })

  test('a reply that was asked for again is gone from the screen', async () => {
    const circle = 'I will look at the file and then I will say what it holds. '.repeat(14)
    const screen = await ready({
      replies: [{ text: circle }, { text: 'It holds one.' }, { text: 'It holds one.' }],
    })

    screen.type(`What is in it?${key.enter}`)

    await screen.sees('It holds one.')
    await screen.idle()
    expect(screen.all()).not.toContain('I will look at the file')
  })

  test('--resume shows the end of the conversation as it was', async () => {
    const first = await ready({
      replies: [edit('a.txt', 'one', 'two'), { text: 'It is **two** now.' }],
      flags: ['-p', 'accept-edits'],
    })
    first.type(`Make it two${key.enter}`)
    await first.sees('It is two now.')
    await first.idle()
    first.type(`exit${key.enter}`)
    expect(await first.ended).toBe(0)

    const again = await ready({ cwd: first.cwd, home: first.home, flags: ['--resume'] })

    const shown = await again.saw('It is two now.')
    expect(shown).toMatch(/› Make it two[\s\S]*a\.txt \+1 -1[\s\S]*\+two[\s\S]*It is two now\./)
  })

  test('the recap of the last session is shown and not sent', async () => {
    const first = await ready({ replies: [{ text: 'The port is 8080.' }] })
    first.type(`Which port?${key.enter}`)
    await first.sees('8080')
    await first.idle()
    first.type(`/quit${key.enter}`)
    await first.ended

    const again = await ready({ cwd: first.cwd, home: first.home, replies: [{ text: 'Hm.' }] })
    await again.sees('Last session')
    again.type(`And now?${key.enter}`)
    await again.sees('Hm.')
    await again.idle()

    const folder = join(String(first.home['HOME']), 'data', 'covey', 'sessions')
    const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    )
    const asked = logs
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((text) => text.includes('And now?'))
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.join('')).not.toContain('Last session')
  })

  test('-v shows readable lines, no JSON', async () => {
    const screen = await ready({ replies: [{ text: 'Yes.' }], flags: ['-v'] })

    screen.type(`Go${key.enter}`)
    await screen.sees('Yes.')
    await screen.idle()

    expect(screen.all()).not.toContain('{"level"')
  })

  test('/compact says what it did, /etc/hosts is text, an unknown command is named', async () => {
    const screen = await ready({ replies: [{ text: 'A file.' }] })
    screen.type(`/compact${key.enter}`)
    await screen.sees('Nothing to gain')
    screen.type(`/contxt${key.enter}`)
    await screen.sees('did you mean /context?')

    screen.type(`/etc/hosts is what?${key.enter}`)

    await screen.sees('A file.')
  })

  test('words are not broken at the edge', async () => {
    const text =
      'The wonderful elephants of the northern plains wander everywhere, remembering exactly where they slept yesterday.'
    const screen = await ready({ replies: [{ text }], size: [40, 30] })

    screen.type(`Go${key.enter}`)
    await screen.sees('everywhere')
    await screen.idle()

    const words = new Set(screen.all().split(/[\s,.]+/))
    expect(
      text
        .split(/[\s,.]+/)
        .filter(Boolean)
        .every((word) => words.has(word)),
    ).toBe(true)
  })

  test('a resize leaves no stale line', async () => {
    const screen = await ready({
      replies: [{ text: 'A line of an answer that is long enough to be wrapped in a narrow terminal.' }],
    })
    screen.type(`Go${key.enter}`)
    await screen.sees('narrow terminal.')
    await screen.idle()
    screen.type('typed words')
    await screen.sees('typed words')

    screen.resize(50, 20)
    await screen.until('border of 50', () => screen.shown().includes(`\n${'─'.repeat(50)}\ntyped words`))
    screen.resize(100, 30)
    await screen.until('border of 100', () => screen.shown().includes(`${'─'.repeat(100)}\ntyped words`))

    expect(screen.shown().match(/typed words/g)).toHaveLength(1)
    expect(screen.shown().match(/─{20,}/g)).toHaveLength(2)
  })
})

describe('bytes', () => {
  test('the screen is never cleared, and a frame draws only what changed', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} of a long answer.`).join('\n\n')
    const screen = await ready({ replies: [{ text }] })

    screen.type(`Go${key.enter}`)
    await screen.sees('Paragraph 59')
    await screen.idle()

    expect(screen.bytes()).not.toMatch(/\u001B\[[23]J/)
    for (let index = 0; index < 60; index++)
      expect(screen.all().match(new RegExp(`Paragraph ${index} of`, 'g'))).toHaveLength(1)
    const before = screen.bytes().length
    screen.type('x')
    await screen.sees(/─\nx/)
    expect(screen.bytes().length - before).toBeLessThan(200)
  })

  test.each(scenes)('%s is inert', async (_, hostile) => {
    const reply = {
      text: `Here: ${hostile} end.`,
      calls: [{ name: 'run_command', input: { command: `printf %s ${JSON.stringify(hostile)}` } }],
    }
    const screen = await ready({ replies: [reply, { text: `Done ${hostile}` }], flags: ['-p', 'bypass'] })
    const own = screen.bytes()

    screen.type(`Go${key.enter}`)
    await screen.sees('Done')
    await screen.idle()

    const added = screen.bytes().slice(own.length)
    // Only what the screen itself writes: the keyboard mode, styles, cursor moves, erasing to the right and below, the synchronized update.
    expect(added.replaceAll(/\u001B\[(?:\?(?:2026|25|7)[hl]|>4;\d?m|[\d;]*[mABCJK])/g, '')).not.toMatch(
      /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/,
    )
    expect(added).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
    expect(screen.shown().match(/─{80}/g)).toHaveLength(2)
  })
})
