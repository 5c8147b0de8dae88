/**
 * Answers in the words of the chat API. Clients are strict about a stream: one id, the role first, every call with a
 * stable index, id and name, exactly one finish reason for each choice, and usage alone in the last chunk.
 */
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { FinishReason, Usage } from '../../protocol/model.ts'
import type { VoteEvent } from '../../protocol/vote.ts'
import type { AnswerEvent } from '../api/ask.ts'
import type { Collected } from '../api/collect.ts'
import { ChatLogprobs, type Chances, toChatLogprobs } from './logprobs.ts'
import { toPart, toSeconds } from '../api/wire.ts'
import { newId } from '../http/new-id.ts'
import type { StreamPart } from '../http/route.ts'

const Finish = z.enum(['stop', 'length', 'tool_calls', 'content_filter'])

const ChatUsage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }).optional(),
})

/** For clients that know Covey: others skip the field. */
const CoveyField = z.object({
  queue: z.object({ position: z.int() }).optional(),
  shortened: z.array(z.string()).optional(),
  activity: z.object({ type: z.string() }).loose().optional(),
  swarm: z
    .object({ stage: z.enum(['start', 'candidate', 'end']) })
    .loose()
    .optional(),
})

const WireCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

export const ChatCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      message: z.strictObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(WireCall).optional(),
      }),
      logprobs: ChatLogprobs.nullable(),
      finish_reason: Finish,
    }),
  ),
  usage: ChatUsage,
  covey: z
    .object({
      shortened: z.array(z.string()),
      activity: z.array(z.unknown()),
      swarm: z.object({ state: z.string(), confidence: z.number() }).loose(),
    })
    .partial()
    .optional(),
})

const Delta = z.strictObject({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z
    .array(
      z.strictObject({
        index: z.int().nonnegative(),
        id: z.string().optional(),
        type: z.literal('function').optional(),
        function: z.strictObject({ name: z.string().optional(), arguments: z.string() }),
      }),
    )
    .optional(),
})

export const ChatChunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      delta: Delta,
      logprobs: ChatLogprobs.nullable(),
      finish_reason: Finish.nullable(),
    }),
  ),
  usage: ChatUsage.nullable().optional(),
  covey: CoveyField.optional(),
})

export type ChatChunk = z.infer<typeof ChatChunk>

export type ChatCompletion = z.infer<typeof ChatCompletion>

export type Envelope = { readonly id: string; readonly created: number; readonly model: string }

export const chatEnvelope = (model: string, now: number): Envelope => ({
  id: newId('chatcmpl-'),
  created: toSeconds(now),
  model,
})

export const toChatUsage = ({ prompt, completion, cached = 0, reasoning }: Usage) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
  ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
})

export const finishWords: Readonly<Record<FinishReason, z.infer<typeof Finish>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  filter: 'content_filter',
  unknown: 'stop',
}

type Delta = z.infer<typeof Delta>

/** What a chunk may say beside its delta. */
type Beside = {
  readonly finish?: ChatChunk['choices'][number]['finish_reason']
  readonly covey?: ChatChunk['covey']
  readonly chances?: Chances
}

/** A client's position in the queue, for clients that know Covey. */
export const toQueue = (position: number) => ({ queue: { position } })

/** The chunks of one choice. */
export class ChoiceStream {
  readonly #envelope: Envelope
  readonly #index: number
  #hasRole = false
  #calls = 0
  #frame: readonly [string, string] | undefined

  constructor(envelope: Envelope, index: number) {
    this.#envelope = envelope
    this.#index = index
  }

  take(event: AnswerEvent): readonly StreamPart[] {
    if (event.type === 'text-delta' && this.#hasRole && !event.chances) return [this.#text(event.text)]
    return this.#chunks(event).map(toPart)
  }

  /** Most chunks differ in their text alone: what stands around it is written once. */
  #text(text: string): StreamPart {
    const [before, after] = (this.#frame ??= around('"content":', this.#chunk({ content: '' })))
    return { data: `${before}${JSON.stringify(text)}${after}` }
  }

  #chunks(event: AnswerEvent): readonly ChatChunk[] {
    if (event.type === 'waiting') return [this.#chunk({}, { covey: toQueue(event.position) })]
    if (event.type === 'start') {
      const shortened = event.shortened.length > 0 ? { shortened: [...event.shortened] } : undefined
      return this.#hasRole && !shortened ? [] : [this.#chunk({}, { covey: shortened })]
    }
    if (event.type === 'text-delta') return [this.#chunk({ content: event.text }, { chances: event.chances })]
    if (event.type === 'reasoning-delta') return [this.#chunk({ reasoning_content: event.text })]
    if (event.type === 'tool-call') return this.#call(event.call)
    if (event.type === 'activity') return [this.#chunk({}, { covey: { activity: event.activity } })]
    if (event.type === 'vote') return [this.#chunk({}, { covey: { swarm: toSwarm(event.vote) } })]
    if (event.type === 'restart') throw voidReply(event.why)
    return [this.#chunk({}, { finish: finishWords[event.reason] })]
  }

  #call({ id, name, input }: ToolCall): readonly ChatChunk[] {
    const index = this.#calls++
    return [
      this.#chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      this.#chunk({ tool_calls: [{ index, function: { arguments: input } }] }),
    ]
  }

  #chunk(delta: Delta, { finish = null, covey, chances }: Beside = {}): ChatChunk {
    const role = this.#hasRole ? {} : { role: 'assistant' as const, content: '' }
    this.#hasRole = true
    return {
      ...this.#envelope,
      object: 'chat.completion.chunk',
      choices: [
        {
          index: this.#index,
          delta: { ...role, ...delta },
          logprobs: toChatLogprobs(chances),
          finish_reason: finish,
        },
      ],
      ...(covey && { covey }),
    }
  }
}

/** Progress of a vote; the last event has everything that a non-streamed answer reports. */
function toSwarm(vote: VoteEvent) {
  if (vote.stage === 'end') return { stage: vote.stage, ...vote.report }
  const { type: _, ...rest } = vote
  return rest
}

/** What is written before and behind the text of a field that is empty. In a value these quotes would be escaped. */
function around(field: string, value: ChatChunk): readonly [string, string] {
  const whole = JSON.stringify(value)
  const at = whole.indexOf(`${field}""`) + field.length
  return [whole.slice(0, at), whole.slice(at + 2)]
}

export const toUsageChunk = (envelope: Envelope, usage: Usage): ChatChunk => ({
  ...envelope,
  object: 'chat.completion.chunk',
  choices: [],
  usage: toChatUsage(usage),
})

/** What was sent cannot be taken back: the client must know that it is void. */
export const voidReply = (why: string): AppError =>
  new AppError('model-unavailable', `The reply was cut off and what came is void (${why}); ask again.`)

export function toCompletion(
  envelope: Envelope,
  answers: readonly Collected[],
  usage: Usage,
): ChatCompletion {
  const [first] = answers
  return {
    ...envelope,
    object: 'chat.completion',
    choices: answers.map(toChoice),
    usage: toChatUsage(usage),
    ...(first && coveyOf(first)),
  }
}

/** Only where there is something to tell. */
function coveyOf({ shortened, activity, swarm }: Collected): Pick<ChatCompletion, 'covey'> {
  if (shortened.length === 0 && activity.length === 0 && !swarm) return {}
  return { covey: { shortened: [...shortened], activity: [...activity], ...(swarm && { swarm }) } }
}

const toChoice = (
  { text, reasoning, calls, reason, chances }: Collected,
  index: number,
): ChatCompletion['choices'][number] => ({
  index,
  message: {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toWireCall) }),
  },
  logprobs: toChatLogprobs(chances),
  finish_reason: finishWords[reason],
})

const toWireCall = ({ id, name, input }: ToolCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: input },
})
