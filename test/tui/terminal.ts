/** Covey on a real pty, seen through a real screen model: what a person would see, as text, after each key. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import { coveyProgram } from '../support/program.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

export type Reply = {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly { name: string; input: object }[]
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cached?: number }
  readonly error?: { readonly code: string; readonly message: string }
}

export type OpenOptions = {
  readonly replies?: readonly Reply[]
  readonly flags?: readonly string[]
  readonly size?: readonly [columns: number, rows: number]
  readonly files?: Readonly<Record<string, string>>
  readonly env?: NodeJS.ProcessEnv
  /** Absent = Covey with the scripted model; otherwise this program. */
  readonly argv?: (covey: readonly string[]) => readonly string[]
  readonly cwd?: string
  readonly home?: NodeJS.ProcessEnv
}

export const key = {
  enter: '\r',
  escape: '\u001B',
  up: '\u001B[A',
  down: '\u001B[B',
  tab: '\t',
  shiftTab: '\u001B[Z',
  altEnter: '\u001B\r',
  backspace: '\u007F',
  ctrl: (letter: string) => String.fromCharCode(letter.toLowerCase().charCodeAt(0) - 96),
  paste: (text: string) => `\u001B[200~${text}\u001B[201~`,
}

const PATIENCE_MS = 60_000

export async function openTerminal(options: OpenOptions = {}) {
  const { replies = [], flags = [], size = [80, 24], files = {}, env = {} } = options
  const [columns, rows] = size
  const cwd = options.cwd ?? (await tempProject({ 'a.txt': 'one\n', ...files }))
  const home = options.home ?? (await emptyHome())
  const script = join(String(home['HOME']), `replies-${Math.random().toString(36).slice(2)}.jsonl`)
  await writeFile(script, replies.map((reply) => `${JSON.stringify(reply)}\n`).join(''))
  const covey = [process.execPath, ...coveyProgram, '--model', `scripted:${script}`, ...flags]
  const [program = '', ...args] = options.argv?.(covey) ?? covey
  const child = pty.spawn(program, args, {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...home, TERM: 'xterm-256color', ...env } as Record<string, string>,
  })
  const screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  let bytes = ''
  let exit: number | undefined
  let pending = Promise.resolve()
  child.onData((data) => {
    bytes += data
    pending = pending.then(() => new Promise((resolve) => screen.write(data, resolve)))
  })
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      exit = exitCode
      // What it wrote last is on the screen then.
      void pending.then(() => resolve(exitCode))
    }),
  )
  onTestFinished(() => {
    if (exit === undefined) child.kill('SIGKILL')
    screen.dispose()
  })

  const linesFrom = (start: number): readonly string[] => {
    const { buffer } = screen
    return Array.from(
      { length: buffer.active.length - start },
      (_, at) => buffer.active.getLine(start + at)?.translateToString(true) ?? '',
    )
  }
  const shown = (): string => linesFrom(screen.buffer.active.baseY).join('\n').trimEnd()
  const all = (): string => linesFrom(0).join('\n').trimEnd()

  async function until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      await pending
      const found = look()
      if (found !== undefined && found !== false) return found
      if (exit !== undefined && !what.startsWith('after')) {
        await pending
        const last = look()
        if (last !== undefined && last !== false) return last
        throw new Error(`it ended (${exit}) before ${what}:\n${all()}`)
      }
      if (Date.now() > deadline) throw new Error(`no ${what} on:\n${all()}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  const matches = (text: string, wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)

  return {
    cwd,
    home,
    script,
    pid: child.pid,
    type: (text: string) => child.write(text),
    resize(newColumns: number, newRows: number) {
      screen.resize(newColumns, newRows)
      child.resize(newColumns, newRows)
    },
    /** What is on the screen now. */
    shown,
    /** The scrollback as well, with everything that has arrived. */
    async now(): Promise<string> {
      await pending
      return all()
    },
    /** The scrollback as well. */
    all,
    bytes: () => bytes,
    ended,
    async sees(wanted: string | RegExp): Promise<string> {
      await until(`"${wanted}"`, () => matches(shown(), wanted))
      return shown()
    },
    async saw(wanted: string | RegExp): Promise<string> {
      await until(`"${wanted}"`, () => matches(all(), wanted))
      return all()
    },
    async gone(unwanted: string | RegExp): Promise<string> {
      await until(`screen without "${unwanted}"`, () => !matches(shown(), unwanted))
      return shown()
    },
    until,
    /** Nothing runs, nothing is asked: the box has the keys. */
    async idle(): Promise<string> {
      await until(
        'idle box',
        () => /^─+\s*$/m.test(shown()) && !shown().includes('Esc stops') && !shown().includes('● starting'),
      )
      return shown()
    },
  }
}

/** Ready for input. */
export async function ready(options: OpenOptions = {}) {
  const terminal = await openTerminal(options)
  await terminal.sees(/\/help for/)
  return terminal
}

export const run = (command: string): Reply => ({ calls: [{ name: 'run_command', input: { command } }] })

export const edit = (path: string, old: string, next: string): Reply => ({
  calls: [{ name: 'edit_file', input: { path, old, new: next } }],
})
