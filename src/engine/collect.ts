/**
 * One reply out of a model's stream: deltas are passed on to watchers, the rest is gathered. A stream that starts to
 * repeat itself is left at once; what it said is kept with one copy of the repeated part.
 */
import type { RunEvent } from '../protocol/event.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, ModelEvent, Usage } from '../protocol/model.ts'
import { withoutSpecialTokens, withoutTokenAtEnd } from './detectors/special-tokens.ts'
import { createRepetitionWatch } from './detectors/repetition.ts'

type BadCall = { readonly name?: string; readonly reason: string }

export type Reply = {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  readonly badCalls: readonly BadCall[]
  readonly finish: FinishReason
  readonly usage?: Usage
  /** The model itself says that the request is beyond it. */
  readonly refused?: boolean
  /** Which stream went in circles. */
  readonly repetition?: 'text' | 'reasoning'
}

type Taking = {
  /** The text of a refusal is not shown. */
  readonly withholdRefusal?: boolean
}

export async function* collectReply(
  stream: AsyncIterable<ModelEvent>,
  { withholdRefusal = false }: Taking = {},
): AsyncGenerator<RunEvent, Reply> {
  let gathered = new Gathered()
  for await (const event of stream) {
    if (event.type === 'reply-restart') gathered = new Gathered()
    const shown = gathered.take(event)
    if (withholdRefusal && gathered.refused) continue
    if (shown) yield shown
    if (gathered.repetition) break
  }
  return gathered.reply()
}

class Gathered {
  readonly #text = new WatchedText()
  readonly #reasoning = new WatchedText()
  readonly #calls: ToolCall[] = []
  readonly #badCalls: BadCall[] = []
  #finish: FinishReason = 'unknown'
  #usage: Usage | undefined
  refused = false

  get repetition(): Reply['repetition'] {
    if (this.#text.isRepeating) return 'text'
    return this.#reasoning.isRepeating ? 'reasoning' : undefined
  }

  /** Keeps the event; returns what a watcher should see of it. */
  take(event: ModelEvent): RunEvent | undefined {
    if (event.type === 'tool-call') this.#calls.push(event.call)
    else if (event.type === 'bad-call') this.#badCalls.push(event)
    else if (event.type === 'finish') this.#finish = event.reason
    else if (event.type === 'refusal') this.refused = true
    else if (event.type === 'usage') this.#usage = event.usage
    else if (event.type !== 'logprobs') {
      if (event.type === 'text-delta') this.#text.push(event.text)
      if (event.type === 'reasoning-delta') this.#reasoning.push(event.text)
      return event
    }
    return undefined
  }

  reply(): Reply {
    const { repetition } = this
    return {
      text: withoutSpecialTokens(this.#text.kept),
      reasoning: this.#reasoning.kept,
      calls: repetition ? [] : this.#calls.map(withoutTokens),
      badCalls: this.#badCalls,
      finish: this.#finish,
      ...(this.#usage && { usage: this.#usage }),
      ...(this.refused && { refused: true }),
      ...(repetition && { repetition }),
    }
  }
}

const withoutTokens = (call: ToolCall): ToolCall => ({
  ...call,
  name: withoutTokenAtEnd(call.name),
  input: withoutTokenAtEnd(call.input),
})

class WatchedText {
  kept = ''
  isRepeating = false
  readonly #watch = createRepetitionWatch()

  push(delta: string): void {
    this.kept += delta
    const finding = this.#watch.push(delta)
    if (!finding) return
    this.kept = this.kept.slice(0, finding.keep)
    this.isRepeating = true
  }
}
