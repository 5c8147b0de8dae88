/** The conversation on a real terminal: `script` gives the program one and passes on what is typed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'
import { coveyProgram } from '../support/program.ts'

const hasScript =
  process.platform === 'linux' && spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

type Reply = { readonly text?: string; readonly calls?: readonly { name: string; input: object }[] }

class Screen {
  readonly #child: ChildProcess
  #text = ''

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on('data', (data: Buffer) => (this.#text += data.toString()))
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** What came since the screen was last looked at, once it holds this. */
  async shows(wanted: string): Promise<string> {
    while (!this.#text.includes(wanted)) {
      if (this.#child.exitCode !== null) throw new Error(`it ended before "${wanted}": ${this.#text}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const end = this.#text.indexOf(wanted) + wanted.length
    const seen = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    return seen
  }

  ended(): Promise<number | null> {
    return new Promise((resolve) => this.#child.once('close', resolve))
  }
}

async function open(replies: readonly Reply[], ...flags: string[]): Promise<Screen> {
  const project = await tempProject({ 'a.txt': 'one\n' })
  const home = await emptyHome()
  const file = join(String(home['HOME']), 'replies.jsonl')
  await writeFile(file, replies.map((reply) => `${JSON.stringify(reply)}\n`).join(''))
  const words = [process.execPath, ...coveyProgram, '--model', `scripted:${file}`, ...flags]
  const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
    cwd: project,
    env: { ...home, TERM: 'dumb', NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return new Screen(child)
}

const run = (command: string): Reply => ({ calls: [{ name: 'run_command', input: { command } }] })

describe.skipIf(!hasScript)('the conversation on a terminal (needs `script` of util-linux)', () => {
  test('answers, lists its commands and ends', async () => {
    const screen = await open([{ text: 'Hello.' }])

    await screen.shows('> ')
    screen.type('Say hello\n')
    await screen.shows('Hello.')
    await screen.shows('> ')
    screen.type('/help\n')
    await screen.shows('/compact')
    await screen.shows('> ')
    screen.type('/nothing\n')
    await screen.shows('unknown command /nothing')
    screen.type('/quit\n')

    expect(await screen.ended()).toBe(0)
  })

  test('a line that fails is reported, and the conversation goes on', async () => {
    const screen = await open([{ text: 'Hello.' }])

    await screen.shows('> ')
    screen.type('!vim a.txt\n')
    await screen.shows('vim needs a whole screen')
    await screen.shows('> ')
    screen.type('Say hello\n')
    await screen.shows('Hello.')
    await screen.shows('> ')
    screen.type('/quit\n')

    expect(await screen.ended()).toBe(0)
  })

  test('the end of the input at a question is a no and the end', async () => {
    const screen = await open([run('touch b.txt'), { text: 'Done.' }], '--permission', 'ask')

    await screen.shows('> ')
    screen.type('Make b\n')
    await screen.shows('Allow?')
    screen.type('\u0004')

    expect(await screen.ended()).toBe(0)
  })

  test('asks afterwards what was typed while an answer came', async () => {
    const screen = await open(
      [run('sleep 1'), { text: 'First.' }, { text: 'Second.' }],
      '--permission',
      'bypass',
    )

    await screen.shows('> ')
    screen.type('one\n')
    await screen.shows('run_command')
    screen.type('two\n')

    await screen.shows('First.')
    await screen.shows('> two')
    await screen.shows('Second.')
  })

  test('asks before a command, and tells the model of a no', async () => {
    const screen = await open([run('touch b.txt'), { text: 'Then not.' }])

    await screen.shows('> ')
    screen.type('Make b.txt\n')
    await screen.shows('touch b.txt')
    await screen.shows('?')
    screen.type('n\n')

    await screen.shows('Then not.')
  })

  test('takes back what a run did, and the model gets a note', async () => {
    const edit = { name: 'edit_file', input: { path: 'a.txt', old: 'one', new: 'two' } }
    const screen = await open(
      [
        { calls: [edit] },
        { text: 'Changed.' },
        { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
        { text: 'Seen.' },
      ],
      '--permission',
      'bypass',
    )

    await screen.shows('> ')
    screen.type('Change it\n')
    await screen.shows('Changed.')
    await screen.shows('> ')
    screen.type('/undo\n')
    await screen.shows('Undid "Change it": 1 file')
    await screen.shows('a.txt')
    await screen.shows('> ')
    screen.type('/undo\n')
    await screen.shows('nothing to undo')
    screen.type('!cat a.txt\n')

    await screen.shows('one')
  })

  test('Ctrl+C ends the run and not the conversation', async () => {
    const screen = await open([run('sleep 60'), { text: 'Here.' }], '--permission', 'bypass')

    await screen.shows('> ')
    screen.type('Wait\n')
    await screen.shows('run_command')
    screen.type('\u0003')
    await screen.shows('cancelled')
    await screen.shows('> ')
    screen.type('Still there?\n')

    await screen.shows('Here.')
  })
})
