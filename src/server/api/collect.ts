/** Answers taken whole, and several answers to one question taken side by side. */
import { createChannel } from '../../lib/channel.ts'
import { AppError } from '../../protocol/error.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { FinishReason, TokenChance, Usage } from '../../protocol/model.ts'
import type { VoteReport } from '../../protocol/vote.ts'
import type { Activity, Answer, AnswerEvent, Caller } from './ask.ts'

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
  /** The last vote, where there was one. */
  readonly swarm?: VoteReport
  readonly reason: FinishReason
  readonly usage: Usage
}

export async function collect(answer: Answer): Promise<Collected> {
  let model = ''
  let shortened: readonly string[] = []
  let taken = nothing()
  const activity: Activity[] = []
  let swarm: VoteReport | undefined
  for await (const event of answer) {
    if (event.type === 'start') ({ model, shortened } = event)
    else if (event.type === 'text-delta') takeText(taken, event)
    else if (event.type === 'reasoning-delta') taken.reasoning.push(event.text)
    else if (event.type === 'tool-call') taken.calls.push(event.call)
    else if (event.type === 'activity') activity.push(event.activity)
    else if (event.type === 'vote' && event.vote.stage === 'end') swarm = event.vote.report
    else if (event.type === 'restart') taken = nothing()
    else if (event.type === 'finish') {
      const { reason, usage } = event
      const { calls, chances } = taken
      const [text, reasoning] = [taken.text.join(''), taken.reasoning.join('')]
      const told = { model, shortened, activity, text, reasoning, calls, reason, usage }
      return { ...told, ...(swarm && { swarm }), ...(chances.length > 0 && { chances }) }
    }
  }
  throw new AppError('model-unavailable', 'The reply ended without a finish reason; try again.')
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

/** Asks for one of several answers. */
type Open = (choice: number, signal: AbortSignal) => Answer

/** Several answers to one question, each whole. The first failure ends the others: they would not be shown. */
export async function collectAll(
  count: number,
  open: Open,
  { signal }: Pick<Caller, 'signal'>,
): Promise<readonly Collected[]> {
  if (count === 1) return [await collect(open(0, signal))]
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => collect(open(index, both))))
  } finally {
    stop.abort()
  }
}

/** Of the answer with this number; of the only one, or the first, where there is none. */
export type Numbered = AnswerEvent & { readonly choice?: number }

/**
 * Several answers as one stream of numbered events. The first failure ends all of them, and so does a client that stops
 * listening; every answer has given back what it held before this ends.
 */
export const sideBySide = (
  count: number,
  open: Open,
  { signal }: Pick<Caller, 'signal'>,
): AsyncGenerator<Numbered> => (count === 1 ? open(0, signal) : mixed(count, open, signal))

async function* mixed(count: number, open: Open, signal: AbortSignal): AsyncGenerator<Numbered> {
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const channel = createChannel<Numbered>()
  let failure: unknown
  const pump = async (_: unknown, choice: number): Promise<void> => {
    try {
      for await (const event of open(choice, both)) channel.push({ ...event, choice })
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
