/**
 * Tells a user who looks at another window that a question waits or that a long run has ended: the bell, and a note of the
 * desktop in terminals known to show one. The words are fixed, so nothing of a model or tool reaches the desktop.
 */
import type { SessionEvent } from '../protocol/event.ts'

export type NotifySettings = {
  /** `unfocused`: only while the terminal has said that another window has the focus. */
  readonly notify: 'unfocused' | 'always' | 'off'
  readonly notifyAfterMs: number
}

export type NotifierParts = {
  readonly env: NodeJS.ProcessEnv
  write(text: string): void
  now(): number
}

const BELL = '\u0007'
const FOCUS_IN = '\u001B[I'
const FOCUS_OUT = '\u001B[O'

/** The terminal says when it gets and loses the focus; one that cannot ignores this. */
export const FOCUS_REPORTS = { on: '\u001B[?1004h', off: '\u001B[?1004l' }

export class Notifier {
  readonly #parts: NotifierParts
  settings: NotifySettings = { notify: 'off', notifyAfterMs: 0 }
  /** Until the terminal says otherwise: one that reports nothing is not rung unasked. */
  #isFocused = true
  #startedAt: number | undefined

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  /** True when it was a report and not a key. */
  takeFocus(data: string): boolean {
    if (data !== FOCUS_IN && data !== FOCUS_OUT) return false
    this.#isFocused = data === FOCUS_IN
    return true
  }

  take({ type }: SessionEvent): void {
    const { now } = this.#parts
    if (type === 'run-start') this.#startedAt = now()
    if (type === 'permission-ask' || type === 'question-ask' || type === 'proposal')
      this.#signal('Covey: a question waits')
    if (type !== 'run-end' || this.#startedAt === undefined) return
    const isLong = now() - this.#startedAt >= this.settings.notifyAfterMs
    this.#startedAt = undefined
    if (isLong) this.#signal('Covey: the run has ended')
  }

  #signal(text: string): void {
    const { notify } = this.settings
    if (notify === 'off' || (notify === 'unfocused' && this.#isFocused)) return
    const { env, write } = this.#parts
    write(showsNotes(env) ? `\u001B]9;${text}\u001B\\${BELL}` : BELL)
  }
}

/** Terminals that show OSC 9; tmux and screen keep it from them. */
function showsNotes({ TERM_PROGRAM = '', TERM = '', TMUX, STY }: NodeJS.ProcessEnv): boolean {
  if (TMUX || STY) return false
  return /^(?:iTerm\.app|WezTerm|ghostty|WarpTerminal)$/.test(TERM_PROGRAM) || TERM === 'xterm-kitty'
}
