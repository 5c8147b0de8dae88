/**
 * `covey shell` on a terminal: joins the person's terminal, the shell's pty, the widgets' channel and the dialogue. Bytes pass
 * in both directions untouched; only while Covey itself writes an answer are keys and output held back.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { makeTempFolder } from '../lib/temp-folder.ts'
import { openChannel, type Channel, type ShellRequest } from './channel.ts'
import { Dialogue } from './dialogue.ts'
import type { Helper, Surface } from './helper.ts'
import { createMarkReader, type Mark } from './output/marks.ts'
import { PromptCopy } from './output/prompt-copy.ts'
import { Record } from './output/record.ts'
import { openPty, type Pty, type PtyEnd } from './pty.ts'
import { shellWords } from './quote.ts'
import { prepareLaunch, type ShellChoice, type ShellName } from './start.ts'
import { openTerminal, type Terminal, type TerminalOutput } from './terminal.ts'
import { Work } from './work.ts'

export type ShellParts = {
  readonly shell: Extract<ShellChoice, { path: string }>
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The words that start this very program. */
  readonly covey: readonly string[]
  readonly input: NodeJS.ReadStream
  readonly output: TerminalOutput
  readonly helper: Helper
  /** The terminal is gone, or Covey is to end. */
  readonly signal: AbortSignal
}

export async function runShell(parts: ShellParts): Promise<number> {
  const folder = makeTempFolder('shell')
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    const running = new RunningShell(parts, folder)
    return await running.run()
  } finally {
    remove()
    process.off('exit', remove)
    await parts.helper.close()
  }
}

/** A shell that has shown nothing for so long may have stopped itself (`suspend`): here no other shell would continue it. */
const SILENT_MS = 300

class RunningShell {
  readonly #parts: ShellParts
  readonly #key = randomBytes(16).toString('hex')
  readonly #record = new Record()
  readonly #terminal: Terminal
  readonly #channel: Channel
  readonly #dialogue: Dialogue
  readonly #prompt = new PromptCopy()
  readonly #work: Work
  readonly #read: (bytes: Buffer) => void
  readonly #folder: string
  #pty: Pty | undefined
  /** What is about to run, as it was typed. */
  #next: { text: string; folder: string } | undefined
  #isRunning = false
  #lastKeyAt = 0
  #lastShownAt = 0
  #isKilled = false

  constructor(parts: ShellParts, folder: string) {
    this.#parts = parts
    this.#folder = folder
    this.#channel = openChannel(folder, this.#key, (request) => this.#take(request))
    this.#terminal = openTerminal(parts.input, parts.output)
    const surface: Surface = this.#terminal.surface
    this.#dialogue = new Dialogue({
      helper: parts.helper,
      record: this.#record,
      surface,
      lastKeyAt: () => this.#lastKeyAt,
    })
    this.#work = new Work({
      write: (bytes) => void this.#terminal.write(bytes),
      type: (bytes) => this.#pty?.write(bytes),
      reply: (id, reply) => this.#channel.send(id, reply),
      note: (text) => this.#terminal.note(text),
    })
    this.#read = createMarkReader(this.#key, {
      bytes: (bytes) => this.#show(bytes),
      mark: (mark) => this.#mark(mark),
      screen: (isAlternate) => {
        this.#terminal.screen(isAlternate)
        this.#record.hide(isAlternate)
      },
    })
  }

  async run(): Promise<number> {
    const { shell, env, cwd, covey, signal } = this.#parts
    const { request, reply } = this.#channel
    const init = { key: this.#key, request, reply, covey: shellWords(covey) }
    const launch = prepareLaunch(shell, this.#folder, init, env)
    const { columns, rows } = this.#terminal.surface
    try {
      const pty = await openPty(launch, { cwd, columns, rows, onData: this.#read })
      this.#pty = pty
      this.#terminal.take({
        pid: pty.pid,
        onKeys: (bytes) => this.#keys(bytes),
        onResize: (newColumns, newRows) => pty.resize(newColumns, newRows),
        onGone: () => pty.hangUp(),
        onReady: () => pty.resume(),
      })
      const hangUp = (): void => pty.hangUp()
      signal.addEventListener('abort', hangUp, { once: true })
      if (signal.aborted) hangUp()
      return exitCodeOf(await this.#ended(pty))
    } finally {
      this.#work.cancel()
      this.#terminal.giveBack(this.#isKilled)
      this.#channel.close()
    }
  }

  async #ended(pty: Pty): Promise<PtyEnd> {
    const end = await pty.ended
    this.#isKilled = Boolean(end.signal)
    return end
  }

  #keys(bytes: Buffer): void {
    const now = performance.now()
    this.#lastKeyAt = now
    if (now - this.#lastShownAt > SILENT_MS && this.#pty?.wake())
      this.#terminal.note('the shell had stopped itself; it goes on')
    if (!this.#work.takesKeys(bytes)) this.#pty?.write(bytes)
  }

  #show(bytes: Buffer): void {
    this.#lastShownAt = performance.now()
    this.#prompt.write(bytes)
    if (this.#isRunning) this.#record.write(bytes)
    if (!this.#work.holds(bytes) && !this.#terminal.write(bytes)) this.#pty?.pause()
  }

  #take(request: ShellRequest): void {
    const { id, verb, line, folder } = request
    switch (verb) {
      case 'more':
        if (this.#next && !this.#isRunning) this.#next.text += `\n${line}`
        return
      case 'start':
        this.#next = { text: line, folder }
        if (this.#isRunning) this.#record.extend(line)
        return
      case 'up':
      case 'down':
        return this.#channel.send(id, replyOf(this.#dialogue.pick(verb === 'up' ? -1 : 1, line)))
      case 'enter':
      case 'ask':
        return this.#decide(request)
    }
  }

  #decide(request: ShellRequest): void {
    const { id, verb, line, folder } = request
    const plan = verb === 'enter' ? this.#dialogue.enter(request) : this.#dialogue.other(request)
    if ('work' in plan) {
      this.#work.expect({
        id,
        line,
        run: plan.work,
        other: () => this.#dialogue.other({ ...request, line: '' }),
      })
      return this.#channel.send(id, { action: 'ask' })
    }
    if (plan.command !== undefined) this.#next = { text: plan.command, folder }
    this.#channel.send(id, plan.reply)
  }

  #mark(mark: Mark): void {
    switch (mark.kind) {
      case 'A':
        return this.#prompt.begin()
      case 'B':
        return this.#prompt.end()
      case 'C':
        this.#isRunning = true
        this.#record.begin(this.#next?.text ?? '(not typed here)', this.#next?.folder ?? '')
        this.#next = undefined
        return
      case 'D':
        return this.#commandEnded(mark.status)
      case 'R':
        return this.#lineLeft()
    }
  }

  #commandEnded(status: number): void {
    if (!this.#isRunning) return
    this.#isRunning = false
    this.#record.end(status)
    const hint = this.#dialogue.hintAfter(status)
    if (hint !== undefined) this.#terminal.note(hint)
  }

  /** bash has taken its line off the screen; the others have left it there. */
  #lineLeft(): void {
    const isErased = this.#parts.shell.name === ('bash' satisfies ShellName)
    if (isErased && this.#work.line !== undefined)
      this.#terminal.write(this.#prompt.withLine(this.#work.line))
    const before = (): void => {
      if (isErased) this.#terminal.write(this.#prompt.above())
    }
    void this.#work.begin(before)
  }
}

const replyOf = (plan: ReturnType<Dialogue['pick']>) =>
  'reply' in plan ? plan.reply : { action: 'keep' as const }

const exitCodeOf = ({ exitCode, signal }: PtyEnd): number => (signal ? 128 + signal : exitCode)
