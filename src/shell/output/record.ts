/**
 * What commands printed, kept for the next question: at most 64 KiB of text. Of one long output head and tail are kept; when
 * all together is too much, the oldest outputs shrink to a few lines, then the oldest commands go.
 */
import { cleanOutput } from '../../lib/text.ts'
import { cleanControl } from '../../lib/clean.ts'

export type RecordedCommand = {
  readonly command: string
  readonly folder: string
  /** Absent while it runs. */
  readonly status?: number
  readonly output: string
}

const MAX_TOTAL = 64 * 1024
const MAX_HEAD = 8 * 1024
const MAX_TAIL = 24 * 1024
const MAX_COMMAND = 2_000
const MAX_COMMANDS = 100
/** What is left of an old output. */
const OLD_HEAD_LINES = 4
const OLD_TAIL_LINES = 12
const OLD_LINE = 160

export class Record {
  #commands: RecordedCommand[] = []
  #dropped = 0
  #running: Running | undefined
  #isHidden = false

  /** Output from here on belongs to this command. */
  begin(command: string, folder: string): void {
    this.#running = new Running(clipped(command, MAX_COMMAND), folder)
  }

  /** The shell reported the whole text of a command after its first line. */
  extend(command: string): void {
    if (this.#running) this.#running.command = clipped(command, MAX_COMMAND)
  }

  write(bytes: Buffer): void {
    if (this.#running && !this.#isHidden) this.#running.write(bytes)
  }

  /** A full-screen program draws; nothing of that is text. */
  hide(isHidden: boolean): void {
    this.#isHidden = isHidden
  }

  end(status: number): RecordedCommand | undefined {
    const running = this.#running
    this.#running = undefined
    this.#isHidden = false
    if (!running) return undefined
    const { command, folder } = running
    const done = { command, folder, status, output: running.text() }
    this.#commands.push(done)
    this.#shrink()
    return done
  }

  /** The last command that failed. */
  get lastFailure(): RecordedCommand | undefined {
    return this.#commands.findLast(({ status }) => status !== undefined && status !== 0)
  }

  get isEmpty(): boolean {
    return this.#commands.length === 0
  }

  text(): string {
    const dropped = this.#dropped > 0 ? [`[${this.#dropped} earlier commands left out]`] : []
    return [...dropped, ...this.#commands.map(toText)].join('\n')
  }

  /** Everything, which is gone from here; `giveBack` undoes it when the question failed. */
  take(): { readonly text: string; giveBack(): void } {
    const text = this.text()
    const commands = this.#commands
    const dropped = this.#dropped
    this.clear()
    const giveBack = (): void => {
      this.#commands = [...commands, ...this.#commands]
      this.#dropped += dropped
      this.#shrink()
    }
    return { text, giveBack }
  }

  clear(): void {
    this.#commands = []
    this.#dropped = 0
  }

  #shrink(): void {
    let total = this.#commands.reduce((sum, one) => sum + sizeOf(one), 0)
    for (let at = 0; total > MAX_TOTAL && at < this.#commands.length - 1; at++) {
      const old = this.#commands[at]
      if (!old) break
      const small = { ...old, output: summary(old.output) }
      total -= sizeOf(old) - sizeOf(small)
      this.#commands[at] = small
    }
    while (this.#commands.length > 1 && (total > MAX_TOTAL || this.#commands.length > MAX_COMMANDS)) {
      const gone = this.#commands.shift()
      total -= gone ? sizeOf(gone) : 0
      this.#dropped++
    }
  }
}

/** Head and tail of what one command prints, as copies of the bytes; nothing is decoded while it runs. */
class Running {
  command: string
  readonly folder: string
  readonly #head: Buffer[] = []
  #headSize = 0
  readonly #tail = new Tail()

  constructor(command: string, folder: string) {
    this.command = command
    this.folder = folder
  }

  write(bytes: Buffer): void {
    const room = MAX_HEAD - this.#headSize
    const [first, rest] =
      room >= bytes.length ? [bytes, undefined] : [bytes.subarray(0, room), bytes.subarray(room)]
    if (first.length > 0) {
      this.#head.push(Buffer.from(first))
      this.#headSize += first.length
    }
    if (rest) this.#tail.write(rest)
  }

  text(): string {
    const head = Buffer.concat(this.#head).toString()
    const { text: tail, lost } = this.#tail.read()
    if (lost === 0) return cleaned(head + tail)
    // Whole lines: a cut may lie within a letter or an escape sequence.
    const from = tail.indexOf('\n')
    const whole = from >= 0 && from < tail.length - 1 ? tail.slice(from + 1) : tail
    const until = head.lastIndexOf('\n')
    const begin = until > 0 ? head.slice(0, until) : head
    return `${cleaned(begin)}\n[… ${lost} bytes left out …]\n${cleaned(whole)}`
  }
}

/** The last MAX_TAIL bytes, in a buffer of twice that: what is kept moves to its front once per MAX_TAIL written. */
class Tail {
  #buffer: Buffer | undefined
  #size = 0
  #lost = 0

  write(bytes: Buffer): void {
    this.#buffer ??= Buffer.allocUnsafeSlow(2 * MAX_TAIL)
    if (this.#size + bytes.length > this.#buffer.length) this.#keep(Math.max(0, MAX_TAIL - bytes.length))
    const from = Math.max(0, bytes.length - MAX_TAIL)
    this.#lost += from
    this.#size += bytes.copy(this.#buffer, this.#size, from)
  }

  read(): { readonly text: string; readonly lost: number } {
    this.#keep(MAX_TAIL)
    return { text: this.#buffer?.toString('utf8', 0, this.#size) ?? '', lost: this.#lost }
  }

  #keep(most: number): void {
    const gone = Math.max(0, this.#size - most)
    this.#buffer?.copyWithin(0, gone, this.#size)
    this.#size -= gone
    this.#lost += gone
  }
}

const cleaned = (text: string): string =>
  cleanControl(cleanOutput(text))
    .replace(/^\s*\n/, '')
    .trimEnd()

const sizeOf = ({ command, folder, output }: RecordedCommand): number =>
  command.length + folder.length + output.length + 32

const clipped = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)} […]`

function summary(output: string): string {
  const lines = output.split('\n')
  if (lines.length <= OLD_HEAD_LINES + OLD_TAIL_LINES + 1)
    return lines.map((line) => clipped(line, OLD_LINE)).join('\n')
  const left = lines.length - OLD_HEAD_LINES - OLD_TAIL_LINES
  return [...lines.slice(0, OLD_HEAD_LINES), `[… ${left} lines left out …]`, ...lines.slice(-OLD_TAIL_LINES)]
    .map((line) => clipped(line, OLD_LINE))
    .join('\n')
}

function toText({ command, folder, status, output }: RecordedCommand): string {
  const body = output === '' ? '' : `${output}\n`
  return `${folder} $ ${cleanControl(command)}\n${body}[exit ${status ?? 'unknown'}]`
}
