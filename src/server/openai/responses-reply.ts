/**
 * Answers in the words of the Responses API: a response is a list of items, and a stream opens, fills and closes each
 * of them with numbered events. The complete response is sent at the start and at the end.
 */
import { z } from 'zod'
import type { ToolCall } from '../../protocol/message.ts'
import type { FinishReason, Usage } from '../../protocol/model.ts'
import type { AnswerEvent } from '../api/ask.ts'
import { toQueue, voidReply } from './chat-reply.ts'
import { TokenLogprob, toTokenLogprobs } from './logprobs.ts'
import { customInput } from './responses-request.ts'
import { newId } from '../http/new-id.ts'
import type { Problem } from '../http/errors.ts'

const Status = z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'])

const TextPart = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(TokenLogprob),
})

const OutputItem = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string(),
    status: Status,
    role: z.literal('assistant'),
    content: z.array(TextPart),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string(),
    status: Status,
    summary: z.array(z.never()),
    content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string(),
    status: Status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    id: z.string(),
    status: Status,
    call_id: z.string(),
    name: z.string(),
    input: z.string(),
  }),
])
export type OutputItem = z.infer<typeof OutputItem>

export const ResponseReply = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: Status,
  model: z.string(),
  output: z.array(OutputItem),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.strictObject({ reason: z.string() }).nullable(),
  parallel_tool_calls: z.boolean(),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  usage: z
    .strictObject({
      input_tokens: z.int(),
      input_tokens_details: z.strictObject({ cached_tokens: z.int() }),
      output_tokens: z.int(),
      output_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
      total_tokens: z.int(),
    })
    .nullable(),
})
export type ResponseReply = z.infer<typeof ResponseReply>

/** One event of the stream, still without its number. */
export type ResponseEvent = { readonly type: string; readonly [key: string]: unknown }

type Open = Extract<OutputItem, { type: 'message' | 'reasoning' }>

type Filling = { readonly item: Open; readonly pieces: string[]; readonly logprobs: TokenLogprob[] }

export class ResponseStream {
  readonly #head: ResponseReply
  readonly #custom: ReadonlySet<string>
  readonly #output: OutputItem[] = []
  #open: Filling | undefined
  #told: 'nothing' | 'created' | 'in_progress' = 'nothing'

  /** `custom` are the names of free-form tools. */
  constructor(head: ResponseReply, custom: ReadonlySet<string>) {
    this.#head = head
    this.#custom = custom
  }

  get output(): readonly OutputItem[] {
    return this.#output
  }

  *take(event: AnswerEvent): Iterable<ResponseEvent> {
    yield* this.#create()
    if (event.type === 'waiting') return yield this.#queued(event.position)
    yield* this.#begin()
    if (event.type === 'text-delta') yield* this.#fill('message', event.text, toTokenLogprobs(event.chances))
    else if (event.type === 'reasoning-delta') yield* this.#fill('reasoning', event.text)
    else if (event.type === 'tool-call') yield* this.#call(event.call)
    else if (event.type === 'restart') throw voidReply(event.why)
    else if (event.type === 'finish') yield* this.#finish(event.reason, event.usage)
  }

  /** The last words of a stream that broke. */
  failed({ code, message }: Problem): readonly ResponseEvent[] {
    const error = { code: code ?? 'server_error', message }
    const response = { ...this.#head, status: 'failed', output: this.#output, error }
    return [
      { type: 'response.failed', response },
      { type: 'error', ...error, param: null },
    ]
  }

  /** Drops what has arrived; the client has not seen it. */
  reset(): void {
    this.#output.length = 0
    this.#open = undefined
  }

  *#create(): Iterable<ResponseEvent> {
    if (this.#told !== 'nothing') return
    this.#told = 'created'
    yield { type: 'response.created', response: this.#head }
  }

  *#begin(): Iterable<ResponseEvent> {
    if (this.#told === 'in_progress') return
    this.#told = 'in_progress'
    yield { type: 'response.in_progress', response: this.#head }
  }

  #queued(position: number): ResponseEvent {
    const response = { ...this.#head, status: 'queued' }
    return { type: 'response.queued', response, covey: toQueue(position) }
  }

  *#fill(type: Open['type'], delta: string, logprobs: TokenLogprob[] = []): Iterable<ResponseEvent> {
    if (this.#open?.item.type !== type) {
      yield* this.#close()
      const item = emptyItem(type)
      this.#open = { item, pieces: [], logprobs: [] }
      yield { type: 'response.output_item.added', output_index: this.#output.length, item }
      yield { type: 'response.content_part.added', ...this.#place(item), part: partOf(type, '') }
    }
    const filling = this.#open ?? { item: emptyItem(type), pieces: [], logprobs: [] }
    filling.pieces.push(delta)
    filling.logprobs.push(...logprobs)
    const place = this.#place(filling.item)
    yield { type: `response.${wordOf(type)}.delta`, ...place, delta, ...logprobsOf(type, logprobs) }
  }

  *#close(): Iterable<ResponseEvent> {
    if (!this.#open) return
    const { item, pieces, logprobs } = this.#open
    const text = pieces.join('')
    const part = partOf(item.type, text, logprobs)
    const place = this.#place(item)
    const done = { ...item, status: 'completed', content: [part] } as OutputItem
    yield { type: `response.${wordOf(item.type)}.done`, ...place, text, ...logprobsOf(item.type, logprobs) }
    yield { type: 'response.content_part.done', ...place, part }
    yield* this.#done(done)
    this.#open = undefined
  }

  *#done(item: OutputItem): Iterable<ResponseEvent> {
    yield { type: 'response.output_item.done', output_index: this.#output.length, item }
    this.#output.push(item)
  }

  *#call(call: ToolCall): Iterable<ResponseEvent> {
    yield* this.#close()
    const isCustom = this.#custom.has(call.name)
    const [field, text] = isCustom ? ['input', customInput(call.input)] : ['arguments', call.input]
    const word = isCustom ? 'custom_tool_call_input' : 'function_call_arguments'
    const item = toCallItem(call, isCustom)
    const place = { item_id: item.id, output_index: this.#output.length }
    const added = { ...item, status: 'in_progress', [field]: '' }
    yield { type: 'response.output_item.added', output_index: this.#output.length, item: added }
    yield { type: `response.${word}.delta`, ...place, delta: text }
    yield { type: `response.${word}.done`, ...place, [field]: text, ...(!isCustom && { name: call.name }) }
    yield* this.#done(item)
  }

  *#finish(reason: FinishReason, usage: Usage): Iterable<ResponseEvent> {
    yield* this.#close()
    const cut = reason === 'length' ? 'max_output_tokens' : reason === 'filter' ? 'content_filter' : undefined
    const status = cut ? 'incomplete' : 'completed'
    const details = cut ? { reason: cut } : null
    const response = {
      ...this.#head,
      status,
      output: [...this.#output],
      incomplete_details: details,
      usage: toUsage(usage),
    }
    yield { type: `response.${status}`, response }
  }

  #place = ({ id }: OutputItem) => ({ item_id: id, output_index: this.#output.length, content_index: 0 })
}

const emptyItem = (type: Open['type']): Open =>
  type === 'message'
    ? { type, id: newId('msg_'), status: 'in_progress', role: 'assistant', content: [] }
    : { type, id: newId('rs_'), status: 'in_progress', summary: [], content: [] }

const partOf = (type: Open['type'], text: string, logprobs: readonly TokenLogprob[] = []) =>
  type === 'message'
    ? { type: 'output_text', text, annotations: [], logprobs }
    : { type: 'reasoning_text', text }

const wordOf = (type: Open['type']): string => (type === 'message' ? 'output_text' : 'reasoning_text')

const logprobsOf = (type: Open['type'], logprobs: readonly TokenLogprob[]) =>
  type === 'message' ? { logprobs } : {}

function toCallItem({ id, name, input }: ToolCall, isCustom: boolean): OutputItem {
  const same = { status: 'completed', call_id: id, name } as const
  return isCustom
    ? { type: 'custom_tool_call', id: newId('ctc_'), ...same, input: customInput(input) }
    : { type: 'function_call', id: newId('fc_'), ...same, arguments: input }
}

const toUsage = ({ prompt, completion, cached = 0, reasoning = 0 }: Usage) => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: completion,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: prompt + completion,
})
