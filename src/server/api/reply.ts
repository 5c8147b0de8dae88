/**
 * A model's reply on its way to a client: what the client's settings leave of it, in the order it came. Calls not
 * parseable are sent as text, because a client that waits for a call must learn why none came.
 */
import { AppError } from '../../protocol/error.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { FinishReason, ModelEvent, TokenChance, Usage } from '../../protocol/model.ts'
import type { AnswerEvent, Ask } from './ask.ts'
import { unwrapCall } from '../../lib/inner-call.ts'
import { repairCall } from './call.ts'
import { jsonIn, type Reply } from './rules.ts'
import { unsupported } from './wire.ts'
import type { ProblemError } from '../http/errors.ts'

export type ReplyTaker = {
  /** The events to send to the client now. */
  take(event: ModelEvent): readonly AnswerEvent[]
  end(): readonly AnswerEvent[]
  reply(): Reply
}

export type ReplySource = {
  readonly arm: string
  /**
   * Sent first, but not before the model shows a sign of life, or its log probabilities where they are asked for: until
   * then a failure can still become an HTTP status.
   */
  readonly start?: Extract<AnswerEvent, { type: 'start' }>
  /** The tool that stands for tools which are only listed. */
  readonly callTool?: string
  /** The reply a reminder was needed for: text that was sent then is not sent again. */
  readonly after?: Reply
}

export const createReplyTaker = (ask: Ask, source: ReplySource): ReplyTaker => new Taker(ask, source)

/** Collects events in a list: a generator inside a generator for every token costs more than the token. */
class Taker implements ReplyTaker {
  readonly #ask: Ask
  readonly #source: ReplySource
  readonly #after: Reply | undefined
  readonly #isJson: boolean
  /** Text whose log probabilities are still to come, and those that came with no text told yet. */
  #waiting = ''
  #chances: TokenChance[] = []
  #hasChances = false
  #isThinking = false
  #text: string[] = []
  #reasoning: string[] = []
  #calls: ToolCall[] = []
  #badCalls: string[] = []
  #opening: ReplySource['start']
  #told: AnswerEvent[] = []
  #hasTold = false
  #toldText = false
  #reason: FinishReason | undefined
  #usage: Usage | undefined

  constructor(ask: Ask, source: ReplySource) {
    this.#ask = ask
    this.#source = source
    this.#after = source.after
    this.#opening = source.start
    this.#isJson = ask.request.responseFormat?.type === 'json'
  }

  take(event: ModelEvent): readonly AnswerEvent[] {
    if (event.type !== 'logprobs') {
      this.#passWaiting()
      this.#isThinking = event.type === 'reasoning-delta'
    }
    if (event.type === 'text-delta') this.#takeText(event.text)
    else if (event.type === 'logprobs') this.#takeChances(event.tokens)
    else if (event.type === 'reasoning-delta') {
      this.#reasoning.push(event.text)
      this.#tell(event)
    } else if (event.type === 'tool-call') this.#takeCall(event.call)
    else if (event.type === 'bad-call') this.#badCalls.push(badCallText(event))
    else if (event.type === 'usage') this.#usage = event.usage
    else if (event.type === 'finish') this.#reason = event.reason
    else if (event.type === 'reply-restart') this.#restart(event.why)
    else if (event.type === 'vote') this.#told.push({ type: 'vote', vote: event })
    if (this.#ask.request.logprobs === undefined || this.#told.length > 0) this.#open()
    return this.#drain()
  }

  end(): readonly AnswerEvent[] {
    this.#passWaiting()
    if (this.#reason === undefined)
      throw new AppError('model-unavailable', 'The reply of the model was cut off before its end; ask again.')
    if (this.#isHeld()) this.#flushJson()
    // Where nothing else came of the reply, the model is reminded first.
    const isFinal = this.#after !== undefined || this.#calls.length > 0
    const lines = isFinal ? this.#badCalls : []
    if (lines.length > 0) this.#tellText(`${this.#toldText ? '\n\n' : ''}${lines.join('\n')}`)
    this.#open()
    return this.#drain()
  }

  reply(): Reply {
    const calls = this.#calls
    const reason = this.#reason === 'unknown' || this.#reason === 'tool-calls' ? 'stop' : this.#reason
    return {
      text: this.#text.join(''),
      reasoning: this.#reasoning.join(''),
      calls,
      badCalls: this.#badCalls,
      isTold: this.#toldText,
      reason: calls.length > 0 ? 'tool-calls' : (reason ?? 'stop'),
      ...(this.#usage && { usage: this.#usage }),
    }
  }

  #takeText(text: string): void {
    if (this.#ask.request.logprobs === undefined) this.#passText(text)
    else this.#waiting = text
  }

  #takeChances(tokens: readonly TokenChance[]): void {
    this.#hasChances = true
    // Those of thoughts have no place in any API.
    if (!this.#isThinking) this.#chances.push(...tokens)
    this.#passWaiting()
  }

  #passWaiting(): void {
    if (this.#waiting === '') return
    if (!this.#hasChances) throw noLogprobs(this.#source.arm)
    const text = this.#waiting
    this.#waiting = ''
    this.#passText(text)
  }

  #passText(text: string): void {
    this.#text.push(text)
    if (this.#after?.isTold || this.#isHeld()) return
    const all = this.#toldText ? text : this.#text.join('')
    if (all !== '') this.#tellText(all)
  }

  /** JSON is passed on as it arrives when it begins like JSON; otherwise it is parsed, and repaired, once complete. */
  #isHeld(): boolean {
    if (!this.#isJson || this.#toldText) return false
    if (!this.#ask.isStream) return true
    // Decided by the first words: a long text is not looked at again with every piece.
    const start = this.#text.slice(0, 3).join('').trimStart()
    return !/^[[{]/.test(start)
  }

  #flushJson(): void {
    const text = this.#text.join('')
    const value = jsonIn(text)
    if (value !== undefined) this.#tellText(JSON.stringify(value))
    else if (this.#after && text !== '') this.#tellText(text)
  }

  #takeCall(written: ToolCall): void {
    const { toolChoice, tools } = this.#ask.request
    const isWrapped = written.name === this.#source.callTool
    const meant = isWrapped ? unwrapCall(written, { closeStrings: false }) : written
    const call = meant && repairCall(meant, tools)
    if (!call) {
      const reason = meant ? 'its arguments are no valid JSON' : 'it names no tool'
      this.#badCalls.push(badCallText({ name: (meant ?? written).name, reason }))
      return
    }
    const isRefused =
      toolChoice === 'none' || (typeof toolChoice === 'object' && toolChoice.name !== call.name)
    if (isRefused || (!this.#ask.parallelCalls && this.#calls.length > 0)) return
    this.#calls.push(call)
    this.#tell({ type: 'tool-call', call })
  }

  #restart(why: string): void {
    const wasTold = this.#hasTold
    this.#waiting = ''
    this.#chances = []
    this.#text = []
    this.#reasoning = []
    this.#calls = []
    this.#badCalls = []
    this.#hasTold = false
    this.#toldText = false
    if (wasTold) this.#told.push({ type: 'restart', why })
  }

  #tellText(text: string): void {
    this.#toldText = true
    if (this.#chances.length === 0) return this.#tell({ type: 'text-delta', text })
    const chances = this.#chances
    this.#chances = []
    this.#tell({ type: 'text-delta', text, chances })
  }

  #tell(event: AnswerEvent): void {
    this.#hasTold = true
    this.#told.push(event)
  }

  #open(): void {
    if (this.#opening) this.#told.unshift(this.#opening)
    this.#opening = undefined
  }

  #drain(): readonly AnswerEvent[] {
    if (this.#told.length === 0) return NOTHING
    const told = this.#told
    this.#told = []
    return told
  }
}

const NOTHING: readonly AnswerEvent[] = []

const noLogprobs = (arm: string): ProblemError =>
  unsupported('logprobs', `${arm} reports no log probabilities; leave them out, or ask another model`)

const badCallText = ({ name, reason }: { readonly name?: string; readonly reason: string }): string =>
  `[The model tried to call ${name ?? 'a tool'}, but the call could not be read: ${reason}]`
