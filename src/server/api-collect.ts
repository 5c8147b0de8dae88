/** Answers taken whole, and several answers to one question taken side by side. */
import { createChannel } from '../lib/channel.ts'
import { AppError } from '../protocol/error.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, TokenChance, Usage } from '../protocol/model.ts'
import type { Activity, Answer, AnswerEvent, Caller } from './api-ask.ts'

export type Collected = {
  /** The arm that answered. */
  readonly model: string
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  /** Where log probabilities were asked for. */
  readonly chances?: readonly TokenChance[]
  readonly shortened: readonly string[]
  readonly activity: readonly Activity[]
  readonly reason: FinishReason
  readonly usage: Usage
}

export async function collect(answer: Answer): Promise<Collected> {
  let model = ''
  let shortened: readonly string[] = []
  let taken = nothing()
  const activity: Activity[] = []
  for await (const event of answer) {
    if (event.type === 'start') ({ model, shortened } = event)
    else if (event.type === 'text-delta') takeText(taken, event)
    else if (event.type === 'reasoning-delta') taken.reasoning.push(event.text)
    else if (event.type === 'tool-call') taken.calls.push(event.call)
    else if (event.type === 'activity') activity.push(event.activity)
    else if (event.type === 'restart') taken = nothing()
    else if (event.type === 'finish') {
      const { reason, usage } = event
      const { calls, chances } = taken
      const [text, reasoning] = [taken.text.join(''), taken.reasoning.join('')]
      const told = { model, shortened, activity, text, reasoning, calls, reason, usage }
      return chances.length > 0 ? { ...told, chances } : told
    }
  }
  throw new AppError('model-unavailable', 'The reply ended without saying how; ask again.')
}

const nothing = () => ({
  text: [] as string[],
  chances: [] as TokenChance[],
  reasoning: [] as string[],
  calls: [] as ToolCall[],
})

function takeText(
  taken: ReturnType<typeof nothing>,
  { text, chances }: Extract<AnswerEvent, { type: 'text-delta' }>,
): void {
  taken.text.push(text)
  if (chances) taken.chances.push(...chances)
}

export type Numbered = { readonly index: number; readonly event: AnswerEvent }

/**
 * Several answers as one stream of numbered events. The first failure ends all of them, and so does whoever stops
 * listening; every answer has given back what it held before this ends.
 */
export async function* sideBySide(
  count: number,
  open: (index: number, signal: AbortSignal) => Answer,
  { signal }: Pick<Caller, 'signal'>,
): AsyncGenerator<Numbered> {
  if (count === 1) {
    for await (const event of open(0, signal)) yield { index: 0, event }
    return
  }
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const channel = createChannel<Numbered>()
  let failure: unknown
  const pump = async (_: unknown, index: number): Promise<void> => {
    try {
      for await (const event of open(index, both)) channel.push({ index, event })
    } catch (error) {
      failure ??= error
      stop.abort(error)
    }
  }
  const pumps = Promise.all(Array.from({ length: count }, pump)).then(() => channel.close())
  try {
    yield* channel
    if (failure !== undefined) throw failure
  } finally {
    stop.abort()
    await pumps
  }
}
