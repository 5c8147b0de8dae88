/**
 * What a reader has released, as events, and where in the answer it stands: what was said just before, whether the line
 * is still blank, whether a code span or a fence is open. White space around calls and thoughts belongs to neither and
 * is dropped at the edges of the answer.
 */
import type { ReplyEvent } from '../../protocol/dialect.ts'
import { isSpace } from './input.ts'

/** What stands before a possible call, for deciding whether it is one. */
export type CallContext = {
  /** The last words of the answer so far. */
  readonly lead: string
  /** What stands before it on the same line. */
  readonly prefix: string
  /** In a code span or a fence. */
  readonly code: boolean
}

/** Nothing stands before it. */
export const NOWHERE: CallContext = { lead: '', prefix: '', code: false }

const LEAD = 300
/** An answer longer than this proposes nothing; keeping it for that would not be bounded. */
const MAX_ANSWER = 65_536
/** A longer run of white space is cut to this: white space is held back until something follows it. */
const MAX_SPACE = 16_384

type Delta = 'text-delta' | 'reasoning-delta'

export class Sink {
  #events: ReplyEvent[] = []
  #delta: { type: Delta; text: string } | undefined
  #space = { 'text-delta': '', 'reasoning-delta': '' }
  #started = { 'text-delta': false, 'reasoning-delta': false }
  /** Nothing but text so far: white space at its beginning may go on from an earlier reply. */
  #isFresh = true
  /** White space before the last marker, used if none follows it. */
  #gap = ''
  #lead = ''
  #prefix = ''
  #ticks = 0
  #answer = ''
  /** The backticks or tildes that opened the current fence; empty outside. */
  fence = ''
  /** No visible text since the last call: a stray closing tag still belongs to it. */
  afterCall = false
  calls = 0
  /** Nothing was said since the reply began, or since the last marker. */
  isSilent = true

  text(text: string): void {
    if (text === '') return
    this.isSilent &&= text.trim() === ''
    this.#follow(text)
    this.#write('text-delta', text)
  }

  reasoning(text: string): void {
    if (text !== '') this.#write('reasoning-delta', text)
  }

  event(event: ReplyEvent): void {
    this.#flush()
    this.#events.push(event)
    this.atMarker()
  }

  /** A call, a thought or a token begins here. White space around it is not text; one gap is enough for both sides. */
  atMarker(): void {
    this.#gap = this.#space['text-delta'] || this.#gap
    this.#space['text-delta'] = ''
    this.#isFresh = false
    this.isSilent = true
    this.breakLine()
  }

  /** The reply is over: white space at the end of an answer belongs to it, because the answer may go on. */
  end(): void {
    if (this.#started['text-delta'] && !this.afterCall) this.#append('text-delta', this.#space['text-delta'])
    this.#space['text-delta'] = ''
  }

  /** What follows starts a line of its own. */
  breakLine(): void {
    this.#prefix = ''
    this.#ticks = 0
  }

  drain(): ReplyEvent[] {
    this.#flush()
    const events = this.#events
    this.#events = []
    return events
  }

  get place(): CallContext {
    return { lead: this.#lead.slice(-LEAD), prefix: this.#prefix.slice(-LEAD), code: this.inCode }
  }

  get inCode(): boolean {
    return this.fence !== '' || this.#ticks % 2 === 1
  }

  get atLineStart(): boolean {
    return this.#prefix.trim() === ''
  }

  /** At the start of a line, or of an item of a list. */
  get atBlockStart(): boolean {
    return this.atLineStart || /^\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)+$/.test(this.#prefix)
  }

  get hasText(): boolean {
    return this.#started['text-delta']
  }

  get hasReasoning(): boolean {
    return this.#started['reasoning-delta']
  }

  /** The whole answer, or nothing when it was too long to keep. */
  get answer(): string {
    return this.#answer.length > MAX_ANSWER ? '' : this.#answer
  }

  #write(type: Delta, given: string): void {
    const text = withoutFloods(given)
    const visible = text.trim()
    if (visible === '' && this.#space[type].length >= MAX_SPACE) return
    const space = (this.#space[type] + text.slice(0, text.length - text.trimStart().length)).slice(
      0,
      MAX_SPACE,
    )
    if (visible === '') {
      this.#space[type] = space
      return
    }
    const gap = type === 'text-delta' ? this.#takeGap() : ''
    const isInside = this.#started[type] || (this.#isFresh && type === 'text-delta')
    this.#append(type, isInside ? (space || gap) + visible : visible)
    this.#space[type] = text.slice(text.trimEnd().length)
    this.#started[type] = true
    if (type === 'text-delta') this.afterCall = false
  }

  #takeGap(): string {
    const gap = this.#gap
    this.#gap = ''
    return gap
  }

  #append(type: Delta, text: string): void {
    if (text === '') return
    if (this.#delta?.type !== type) this.#flush()
    this.#delta = { type, text: (this.#delta?.text ?? '') + text }
    if (type === 'text-delta' && this.#answer.length <= MAX_ANSWER) this.#answer += text
  }

  #flush(): void {
    if (this.#delta) this.#events.push(this.#delta)
    this.#delta = undefined
  }

  #follow(text: string): void {
    this.#lead = lastOf(this.#lead + text)
    const lineStart = text.lastIndexOf('\n') + 1
    const line = lineStart === 0 ? text : text.slice(lineStart)
    if (lineStart > 0) this.breakLine()
    for (let at = line.indexOf('`'); at !== -1; at = line.indexOf('`', at + 1)) this.#ticks++
    this.#prefix = lastOf(this.#prefix + line)
  }
}

/** The end of a text that grows piece by piece; shortened now and then, not with every piece. */
const lastOf = (text: string): string => (text.length > 8 * LEAD ? text.slice(-LEAD) : text)

/** `text` with every run of white space cut to the longest that is kept. */
function withoutFloods(text: string): string {
  if (text.length <= MAX_SPACE) return text
  const parts: string[] = []
  let from = 0
  let run = 0
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isSpace(text.charCodeAt(index))) run++
    else {
      if (run > MAX_SPACE) {
        parts.push(text.slice(from, index - run + MAX_SPACE))
        from = index
      }
      run = 0
    }
  }
  return parts.join('') + text.slice(from)
}
