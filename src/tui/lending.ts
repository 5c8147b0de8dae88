/** What takes the terminal for a while: the person's editor, a command of theirs. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTempFolder } from '../lib/temp-folder.ts'
import type { ConversationUi } from './ui.ts'
import type { Face } from './face.ts'
import { openPersonShell, runInTerminal, runProgram } from './shell.ts'
import type { PersonShell, ShellEnd } from './talk.ts'
import { bold, dim, red } from './theme.ts'
import { fit, oneLine, seconds } from './text.ts'

export type Lendable = {
  readonly face: Face
  /** Takes the terminal, and gives it back. */
  start(): void
  stop(): void
  /** The terminal has been asked all it is asked at the start: a late question would reach the program that has it then. */
  settled(): Promise<void>
  /** Handles SIGINT until the returned function is called. */
  onInterrupt?(handle: () => void): () => void
}

export async function lendTerminal<T>(parts: Lendable, work: () => Promise<T>): Promise<T> {
  await parts.settled()
  parts.face.suspend()
  parts.stop()
  // Nothing else may be waiting for anything: a process without a reason to stay would end.
  const staying = setInterval(() => {}, 60_000)
  // Ctrl+C is meant for what has the terminal, and reaches this program as well.
  const release = parts.onInterrupt?.(() => undefined)
  try {
    return await work()
  } finally {
    clearInterval(staying)
    setImmediate(() => release?.())
    parts.start()
    parts.face.resume()
  }
}

export async function editInput(ui: ConversationUi): Promise<void> {
  const { face } = ui
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  const folder = makeTempFolder('message')
  const file = join(folder, 'message.md')
  writeFileSync(file, face.input?.text ?? '', { mode: 0o600 })
  try {
    await ui.lend(async () => spawnSync('/bin/sh', ['-c', `${editor} "$0"`, file], { stdio: 'inherit' }))
    face.input?.setText(readFileSync(file, 'utf8').replace(/\n$/, ''))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Until `fg`. */
export const stopProcess = (ui: ConversationUi): void =>
  void ui.lend(
    () =>
      new Promise<void>((resolve) => {
        process.once('SIGCONT', () => resolve())
        process.kill(0, 'SIGTSTP')
      }),
  )

export async function openShell(ui: ConversationUi): Promise<void> {
  const { talk, face } = ui
  const shell = talk?.shell
  if (!shell) return face.say(ELSEWHERE)
  face.print(['', bold('shell'), dim('`exit` or Ctrl+D comes back')])
  await ui.lend(() => openPersonShell(shell.argv(['shell']), talk.cwd))
}

export async function runOwn(ui: ConversationUi, words: readonly string[]): Promise<void> {
  const { talk, face } = ui
  const shell = talk?.shell
  if (!shell) return face.say(ELSEWHERE)
  face.print(['', bold(fit(oneLine(`covey ${words.join(' ')}`), face.width)), dim('Ctrl+C stops it')])
  const end = await ui.lend(() => runProgram(shell.argv(words), talk.cwd))
  face.print([end === undefined ? red('it could not be started') : exitText({ exitCode: end, output: '' })])
}

const ELSEWHERE = 'Commands of your own run only in a session on this machine.'

type PersonCommand = { readonly command: string; readonly isPrivate: boolean }

export async function runForPerson(ui: ConversationUi, { command, isPrivate }: PersonCommand): Promise<void> {
  const { talk, face } = ui
  const shell = talk?.shell
  if (!shell) return face.say(ELSEWHERE)
  face.print(['', bold(fit(`${isPrivate ? '!!' : '!'} ${oneLine(command)}`, face.width))])
  const since = performance.now()
  const end = shell.needsTerminal(command)
    ? await ui.lend(() => runInTerminal(command, talk.cwd))
    : await runLive(face, command, shell)
  face.print([`${exitText(end)}${dim(` · ${seconds(performance.now() - since)}`)}`])
  if (isPrivate) return
  const failed = end.exitCode === 0 ? '' : `\n[exit ${end.exitCode ?? 'by a signal'}]`
  await talk.session.command('exec-output', `$ ${command}\n${end.output}${failed}`)
}

const exitText = ({ exitCode }: ShellEnd): string =>
  exitCode === undefined ? red('stopped') : exitCode === 0 ? dim('exit 0') : red(`exit ${exitCode}`)

const MAX_TAIL = 8_000

async function runLive(face: Face, command: string, shell: PersonShell): Promise<ShellEnd> {
  const stopped = new AbortController()
  const doing = { title: command, output: '', stop: () => stopped.abort() }
  face.doing = doing
  face.redraw()
  const onOutput = (text: string): void => {
    doing.output = (doing.output + text).slice(-MAX_TAIL)
    face.redraw()
  }
  try {
    const end = await shell.run(command, { signal: stopped.signal, onOutput })
    if (end.output.trim() !== '') face.say(end.output)
    return end
  } finally {
    if (face.doing === doing) face.doing = undefined
  }
}
