/**
 * A model's reply on its way to a client: what the client's settings leave of it, in the order it came. Calls that nobody
 * can read are said as text, because a client that waits for a call must learn why none came.
 */
import { AppError } from '../protocol/error.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, ModelEvent, TokenChance, Usage } from '../protocol/model.ts'
import type { AnswerEvent, Ask } from './api-ask.ts'
import { innerCall, mendCall } from './api-call.ts'
import { jsonIn, type Reply } from './api-rules.ts'
import { unsupported } from './api-wire.ts'
import type { ProblemError } from './errors.ts'

export type ReplyTaker = {
  take(event: ModelEvent): Iterable<AnswerEvent>
  end(): Iterable<AnswerEvent>
  reply(): Reply
}

export type ReplySource = {
  readonly arm: string
  /** The tool that stands for tools which are only listed. */
  readonly callTool?: string
  /** The reply a reminder was needed for: text that was told then is not told again. */
  readonly after?: Reply
}

export const createReplyTaker = (ask: Ask, source: ReplySource): ReplyTaker => new Taker(ask, source)

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
  #told = false
  #toldText = false
  #reason: FinishReason | undefined
  #usage: Usage | undefined

  constructor(ask: Ask, source: ReplySource) {
    this.#ask = ask
    this.#source = source
    this.#after = source.after
    this.#isJson = ask.request.responseFormat?.type === 'json'
  }

  *take(event: ModelEvent): Iterable<AnswerEvent> {
    if (event.type !== 'logprobs') {
      yield* this.#passWaiting()
      this.#isThinking = event.type === 'reasoning-delta'
    }
    if (event.type === 'text-delta') yield* this.#takeText(event.text)
    else if (event.type === 'logprobs') yield* this.#takeChances(event.tokens)
    else if (event.type === 'reasoning-delta') {
      this.#reasoning.push(event.text)
      yield* this.#tell(event)
    } else if (event.type === 'tool-call') yield* this.#takeCall(event.call)
    else if (event.type === 'bad-call') this.#badCalls.push(badCallText(event))
    else if (event.type === 'usage') this.#usage = event.usage
    else if (event.type === 'finish') this.#reason = event.reason
    else if (event.type === 'reply-restart') yield* this.#restart(event.why)
    else if (event.type === 'vote' && event.stage === 'end')
      yield { type: 'activity', activity: { type: 'vote', ...event.report } }
  }

  *end(): Iterable<AnswerEvent> {
    yield* this.#passWaiting()
    if (this.#reason === undefined)
      throw new AppError('model-unavailable', 'The reply of the model was cut off before its end; ask again.')
    if (this.#isHeld()) yield* this.#flushJson()
    // Where nothing else came of the reply, the model is reminded first.
    const isFinal = this.#after !== undefined || this.#calls.length > 0
    const lines = isFinal ? this.#badCalls : []
    if (lines.length > 0) yield* this.#tellText(`${this.#toldText ? '\n\n' : ''}${lines.join('\n')}`)
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

  *#takeText(text: string): Iterable<AnswerEvent> {
    if (this.#ask.request.logprobs === undefined) yield* this.#passText(text)
    else this.#waiting = text
  }

  *#takeChances(tokens: readonly TokenChance[]): Iterable<AnswerEvent> {
    this.#hasChances = true
    // Those of thoughts have no place in any API.
    if (!this.#isThinking) this.#chances.push(...tokens)
    yield* this.#passWaiting()
  }

  *#passWaiting(): Iterable<AnswerEvent> {
    if (this.#waiting === '') return
    if (!this.#hasChances) throw noLogprobs(this.#source.arm)
    const text = this.#waiting
    this.#waiting = ''
    yield* this.#passText(text)
  }

  *#passText(text: string): Iterable<AnswerEvent> {
    this.#text.push(text)
    if (this.#after?.isTold || this.#isHeld()) return
    const all = this.#toldText ? text : this.#text.join('')
    if (all !== '') yield* this.#tellText(all)
  }

  /** JSON is passed on as it comes when it begins like JSON; otherwise it is read, and mended, once it is whole. */
  #isHeld(): boolean {
    if (!this.#isJson || this.#toldText) return false
    if (!this.#ask.isStream) return true
    // Decided by the first words: a long text is not looked at again with every piece.
    const start = this.#text.slice(0, 3).join('').trimStart()
    return !/^[[{]/.test(start)
  }

  *#flushJson(): Iterable<AnswerEvent> {
    const text = this.#text.join('')
    const value = jsonIn(text)
    if (value !== undefined) yield* this.#tellText(JSON.stringify(value))
    else if (this.#after && text !== '') yield* this.#tellText(text)
  }

  *#takeCall(written: ToolCall): Iterable<AnswerEvent> {
    const { toolChoice, tools } = this.#ask.request
    const meant = innerCall(written, this.#source.callTool)
    const call = meant && mendCall(meant, tools)
    if (!call) {
      const reason = meant ? 'its arguments are no valid JSON' : 'it names no tool'
      this.#badCalls.push(badCallText({ name: (meant ?? written).name, reason }))
      return
    }
    const isRefused =
      toolChoice === 'none' || (typeof toolChoice === 'object' && toolChoice.name !== call.name)
    if (isRefused || (!this.#ask.parallelCalls && this.#calls.length > 0)) return
    this.#calls.push(call)
    yield* this.#tell({ type: 'tool-call', call })
  }

  *#restart(why: string): Iterable<AnswerEvent> {
    const wasTold = this.#told
    this.#waiting = ''
    this.#chances = []
    this.#text = []
    this.#reasoning = []
    this.#calls = []
    this.#badCalls = []
    this.#told = false
    this.#toldText = false
    if (wasTold) yield { type: 'restart', why }
  }

  *#tellText(text: string): Iterable<AnswerEvent> {
    this.#toldText = true
    const chances = this.#chances.splice(0)
    yield* this.#tell({ type: 'text-delta', text, ...(chances.length > 0 && { chances }) })
  }

  *#tell(event: AnswerEvent): Iterable<AnswerEvent> {
    this.#told = true
    yield event
  }
}

const noLogprobs = (arm: string): ProblemError =>
  unsupported('logprobs', `${arm} tells no log probabilities; leave them out, or ask another model`)

const badCallText = ({ name, reason }: { readonly name?: string; readonly reason: string }): string =>
  `[The model tried to call ${name ?? 'a tool'}, but the call could not be read: ${reason}]`
