/**
 * A model's reply on its way to a client: what the client's settings leave of it, in the order it came. Calls that nobody
 * can read are said as text, because a client that waits for a call must learn why none came.
 */
import { AppError } from '../protocol/error.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, ModelEvent, Usage } from '../protocol/model.ts'
import type { AnswerEvent, Ask } from './api-ask.ts'
import { mendCall } from './api-call.ts'
import { jsonIn, type Reply } from './api-rules.ts'

export type ReplyTaker = {
  take(event: ModelEvent): Iterable<AnswerEvent>
  end(): Iterable<AnswerEvent>
  reply(): Reply
}

/** `after` is the reply a reminder was needed for: text that was told then is not told again. */
export const createReplyTaker = (ask: Ask, after?: Reply): ReplyTaker => new Taker(ask, after)

class Taker implements ReplyTaker {
  readonly #ask: Ask
  readonly #after: Reply | undefined
  readonly #isJson: boolean
  #text: string[] = []
  #reasoning: string[] = []
  #calls: ToolCall[] = []
  #badCalls: string[] = []
  #told = false
  #toldText = false
  #reason: FinishReason | undefined
  #usage: Usage | undefined

  constructor(ask: Ask, after: Reply | undefined) {
    this.#ask = ask
    this.#after = after
    this.#isJson = ask.request.responseFormat?.type === 'json'
  }

  *take(event: ModelEvent): Iterable<AnswerEvent> {
    if (event.type === 'text-delta') yield* this.#takeText(event.text)
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
    const call = mendCall(written, tools)
    if (!call) {
      this.#badCalls.push(badCallText({ name: written.name, reason: 'its arguments are no valid JSON' }))
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
    yield* this.#tell({ type: 'text-delta', text })
  }

  *#tell(event: AnswerEvent): Iterable<AnswerEvent> {
    this.#told = true
    yield event
  }
}

const badCallText = ({ name, reason }: { readonly name?: string; readonly reason: string }): string =>
  `[The model tried to call ${name ?? 'a tool'}, but the call could not be read: ${reason}]`
