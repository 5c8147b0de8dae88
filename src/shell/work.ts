/**
 * While Covey writes below the line, the shell waits for a reply: keys are kept for it, and what it prints is held back, so
 * that nothing gets into the answer. Ctrl+C ends the answer, Alt+Enter takes the line the other way.
 */
import type { ShellReply } from './channel.ts'
import type { Plan } from './dialogue.ts'

type Expected = {
  readonly id: string
  readonly line: string
  run(signal: AbortSignal): Promise<ShellReply>
  /** The other reading of the same line. */
  other(): Plan
}

export type WorkParts = {
  write(bytes: Buffer): void
  type(bytes: Buffer): void
  reply(id: string, reply: ShellReply): void
  note(text: string): void
}

const MAX_HELD = 1024 * 1024
/** A shell that draws nothing after its widget gets the keys all the same. */
const PATIENCE_MS = 500
const CTRL_C = 0x03

export class Work {
  readonly #parts: WorkParts
  #expected: Expected | undefined
  #stopped: AbortController | undefined
  #isOther = false
  #typed: Buffer[] = []
  #timer: NodeJS.Timeout | undefined
  #printed: Buffer[] = []
  #printedSize = 0

  constructor(parts: WorkParts) {
    this.#parts = parts
  }

  get line(): string | undefined {
    return this.#expected?.line
  }

  expect(expected: Expected): void {
    this.#expected = expected
  }

  /** The shell has left its line. `before` the reply is sent, the prompt above the line is written. */
  async begin(before: () => void): Promise<void> {
    const expected = this.#expected
    if (!expected || this.#stopped) return
    const stopped = new AbortController()
    this.#stopped = stopped
    this.#isOther = false
    const reply = await expected.run(stopped.signal).catch((): ShellReply => ({ action: 'none' }))
    const final = this.#isOther ? this.#otherReply(expected) : this.#safe(reply)
    this.#expected = undefined
    this.#stopped = undefined
    before()
    for (const bytes of this.#printed.splice(0)) this.#parts.write(bytes)
    this.#printedSize = 0
    this.#parts.reply(expected.id, final)
    if (this.#typed.length > 0) this.#timer = setTimeout(() => this.#typeOn(), PATIENCE_MS)
  }

  /** Keys pressed before a proposal was there were not meant for it: an Enter among them would run it. */
  #safe(reply: ShellReply): ShellReply {
    const isPlaced = reply.action === 'line' || reply.action === 'pick'
    if (!isPlaced || this.#typed.length === 0) return reply
    this.#parts.note('not put on the line, because you were typing · :1 puts it there')
    return { action: 'none' }
  }

  #typeOn(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const bytes of this.#typed.splice(0)) this.#parts.type(bytes)
  }

  /** A command runs at once; anything else would need a line of its own. */
  #otherReply({ other }: Expected): ShellReply {
    const plan = other()
    return 'reply' in plan ? plan.reply : { action: 'none' }
  }

  cancel(): void {
    this.#stopped?.abort()
  }

  takesKeys(bytes: Buffer): boolean {
    if (!this.#stopped) {
      // In the order they were pressed.
      if (this.#timer) this.#typed.push(bytes)
      return this.#timer !== undefined
    }
    if (bytes.includes(CTRL_C)) this.#stopped.abort()
    else if (bytes.equals(ALT_ENTER) || bytes.equals(ALT_NEWLINE)) {
      this.#isOther = true
      this.#stopped.abort()
    } else this.#typed.push(bytes)
    return true
  }

  holds(bytes: Buffer): boolean {
    // The shell draws its prompt again: from here on it reads keys itself.
    if (this.#timer && !this.#stopped) setImmediate(() => this.#typeOn())
    if (!this.#stopped || this.#printedSize > MAX_HELD) return false
    this.#printed.push(Buffer.from(bytes))
    this.#printedSize += bytes.length
    return true
  }
}

const ALT_ENTER = Buffer.from('\u001B\r')
const ALT_NEWLINE = Buffer.from('\u001B\n')
