/** Going back to an earlier message, on a real pty and line by line. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { edit, key, openTerminal, ready, run } from './terminal.ts'

test('Esc twice: a list, the text comes back, files are restored, what followed is kept', async () => {
  const replies = [
    { text: 'First answer.' },
    edit('a.txt', 'one', 'two'),
    { text: 'It is two.' },
    edit('a.txt', 'two', 'three'),
    { text: 'It is three.' },
    { text: 'Another answer.' },
    { text: 'From the start.' },
  ]
  const screen = await ready({ replies, flags: ['-p', 'accept-edits'] })
  const content = (): string => readFileSync(join(screen.cwd, 'a.txt'), 'utf8')
  const says = async (text: string, wanted: string): Promise<void> => {
    screen.type(`${text}${key.enter}`)
    await screen.sees(wanted)
    await screen.idle()
  }
  await says('Say something', 'First answer.')
  await says('Make it two', 'It is two.')
  await says('Make it three', 'It is three.')
  const [source = ''] = /\d{8}-\d{4}-\w+/.exec(await screen.now()) ?? []

  screen.type(key.escape)
  await screen.sees('Esc again goes back')
  screen.type(key.escape)
  const list = await screen.sees('Go back to before')
  expect(list).toMatch(/Make it three .*changed 1 file[^]*Make it two .*changed 1 file[^]*Say something/)
  screen.type(`${key.down}${key.enter}`)
  await screen.sees(/1 file changed since[^]*Restore the files, too[^]*a\.txt[^]*Leave the files/)
  screen.type(key.enter)
  await screen.sees(/Back to before the last 2 messages\.[^]*─\nMake it two\s*\n─/)

  expect(content()).toBe('one\n')
  expect(await screen.now()).toContain(`/resume ${source}`)
  screen.type(`${key.ctrl('u')}Tell me more${key.enter}`)
  await screen.sees('Another answer.')
  await screen.idle()
  const after = await screen.now()
  screen.type(`/context${key.enter}`)
  await screen.sees('system and tools')

  // Both keys in one read, and beyond the first fork: a message of the session it comes from.
  screen.type(key.escape + key.escape)
  await screen.sees('Go back to before')
  screen.type(`Say${key.enter}`)
  await screen.sees(/Back to before the last 2 messages\.[^]*─\nSay something\s*\n─/)
  screen.type(key.enter)
  await screen.sees('From the start.')
  await screen.idle()
  screen.type(`/resume ${source}${key.enter}`)

  await screen.sees(/› Make it three[^]*It is three\./)
  expect(after).toContain('First answer.')
  expect(readdirSync(sessionsOf(screen.home)).filter((name) => /^\d{8}-/.test(name))).toHaveLength(3)
})

test('a run in progress is not left; after it, and after a compaction, every message can be gone back to', async () => {
  const long = Array.from({ length: 700 }, (_, at) => `Part ${at} has ${(at * 7919) % 1009} words.`).join(
    '\n',
  )
  const replies = [{ text: long }, { text: long }, run('sleep 600'), { text: 'Stopped?' }]
  const screen = await ready({ replies, flags: ['-p', 'bypass'] })
  for (const text of ['First question', 'Second question']) {
    screen.type(`${text}${key.enter}`)
    await screen.saw(new RegExp(`› ${text}`))
    await screen.idle()
  }
  screen.type(`/compact${key.enter}`)
  await screen.sees(/compacted|Nothing to gain/i)
  screen.type(`Wait${key.enter}`)
  await screen.sees('running run_command')

  screen.type(`/back 1${key.enter}`)
  await screen.sees('A run is in progress; stop it first')
  screen.type(key.escape)
  await screen.sees('Cancelled.')
  await screen.idle()
  screen.type(`/back 9${key.enter}`)
  await screen.sees('There is no message "9"; 1 is the last one, 3 the first.')
  screen.type(`/back 2${key.enter}`)

  await screen.sees(/Back to before the last 2 messages\.[^]*─\nSecond question\s*\n─/)
  screen.type(`${key.ctrl('u')}/export json${key.enter}`)
  const said = await screen.saw(/"role": "user"/)
  expect(said.slice(said.lastIndexOf('Back to before'))).not.toContain('Second question"')
})

test('line by line: /back lists, /back 1 goes, and a file may stay as it is', async () => {
  const replies = [edit('a.txt', 'one', 'two'), { text: 'It is two.' }, { text: 'I see.' }]
  const screen = await openTerminal({ replies, flags: ['--plain', '-p', 'accept-edits'], size: [100, 60] })
  await screen.sees(/^>$/m)
  const says = async (line: string, wanted: string | RegExp): Promise<void> => {
    screen.type(`${line}\n`)
    await screen.saw(wanted)
  }

  await says('/back', 'There is no message to go back to yet.')
  await says('Make it two', /It is two\.[^]*>$/)
  await says('/back', /1 {2}Make it two .*changed 1 file\s+number:$/)
  await says('', 'Nothing chosen.')
  await says('/back 1', /1 {2}Restore the files, too {2}a\.txt\s+2 {2}Leave the files as they are\s+number:$/)
  await says('2', /Back to before the last message\.\nWhat followed is kept[^]*The message was:\nMake it two/)
  await says('What is in it?', /I see\.[^]*>$/)
  await says('/export json', /were changed after it and/)
  screen.type('quit\n')

  expect(await screen.ended).toBe(0)
  expect(readFileSync(join(screen.cwd, 'a.txt'), 'utf8')).toBe('two\n')
  expect(screen.bytes()).not.toContain('\u001B')
})

const sessionsOf = (home: NodeJS.ProcessEnv): string => {
  const data = home['XDG_DATA_HOME'] ?? join(String(home['HOME']), '.local', 'share')
  return join(data, 'covey', 'sessions')
}
