/**
 * Answers in the words of Anthropic's API: a message is a list of blocks, and a stream opens, fills and closes them one
 * at a time, in order.
 */
import { z } from 'zod'
import { readJson } from '../../lib/json.ts'
import type { ToolCall } from '../../protocol/message.ts'
import type { FinishReason, Usage } from '../../protocol/model.ts'
import type { AnswerEvent } from '../api/ask.ts'
import { toQueue, voidReply } from '../openai/chat-reply.ts'
import type { Collected } from '../api/collect.ts'

const StopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal'])

const MessageUsage = z.strictObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cache_read_input_tokens: z.int(),
})

const Block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
])
type Block = z.infer<typeof Block>

export const MessageReply = z.strictObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(Block),
  stop_reason: StopReason.nullable(),
  stop_sequence: z.null(),
  usage: MessageUsage,
})
export type MessageReply = z.infer<typeof MessageReply>

const index = z.int().nonnegative()

export const MessageEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message_start'), message: MessageReply }),
  z.strictObject({
    type: z.literal('ping'),
    covey: z.strictObject({ queue: z.strictObject({ position: z.int() }) }).optional(),
  }),
  z.strictObject({ type: z.literal('content_block_start'), index, content_block: Block }),
  z.strictObject({
    type: z.literal('content_block_delta'),
    index,
    delta: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
      z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
      z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.strictObject({ type: z.literal('content_block_stop'), index }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({ stop_reason: StopReason, stop_sequence: z.null() }),
    usage: MessageUsage,
  }),
  z.strictObject({ type: z.literal('message_stop') }),
])
export type MessageEvent = z.infer<typeof MessageEvent>

export type MessageHead = { readonly id: string; readonly model: string }

export function toMessage(head: MessageHead, answer: Collected, withThinking: boolean): MessageReply {
  const content: Block[] = []
  if (withThinking && answer.reasoning !== '')
    content.push({ type: 'thinking', thinking: answer.reasoning, signature: '' })
  if (answer.text !== '') content.push({ type: 'text', text: answer.text })
  content.push(
    ...answer.calls.map(({ id, name, input }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: inputOf(input),
    })),
  )
  return {
    ...emptyMessage(head),
    content,
    stop_reason: stopReasons[answer.reason],
    usage: toMessageUsage(answer.usage),
  }
}

const emptyMessage = ({ id, model }: MessageHead): MessageReply => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: toMessageUsage({ prompt: 0, completion: 0 }),
})

/** A model's arguments may be no object at all; this API has no place for anything else. */
function inputOf(input: string): Record<string, unknown> {
  const reading = readJson(input)
  const { success, data } = z
    .record(z.string(), z.unknown())
    .safeParse(reading.ok ? reading.value : undefined)
  return success ? data : {}
}

const stopReasons: Readonly<Record<FinishReason, z.infer<typeof StopReason>>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  filter: 'refusal',
  unknown: 'end_turn',
}

/** What was read from a cache is not counted as input here. */
const toMessageUsage = ({ prompt, completion, cached = 0 }: Usage) => ({
  input_tokens: Math.max(0, prompt - cached),
  output_tokens: completion,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
})

export class MessageStream {
  readonly #head: MessageHead
  readonly #withThinking: boolean
  #blocks = 0
  #open: 'text' | 'thinking' | undefined

  constructor(head: MessageHead, withThinking: boolean) {
    this.#head = head
    this.#withThinking = withThinking
  }

  *take(event: AnswerEvent): Iterable<MessageEvent> {
    // Nothing but a ping may come before `message_start`: clients skip those wherever they are.
    if (event.type === 'waiting') yield { type: 'ping', covey: toQueue(event.position) }
    else if (event.type === 'start') yield* this.#start(event.promptTokens())
    else if (event.type === 'text-delta') yield* this.#fill('text', { type: 'text_delta', text: event.text })
    else if (event.type === 'reasoning-delta') {
      if (this.#withThinking) yield* this.#fill('thinking', { type: 'thinking_delta', thinking: event.text })
    } else if (event.type === 'tool-call') yield* this.#call(event.call)
    else if (event.type === 'restart') throw voidReply(event.why)
    else if (event.type === 'finish') yield* this.#finish(event.reason, event.usage)
  }

  *#start(prompt: number): Iterable<MessageEvent> {
    const message = { ...emptyMessage(this.#head), usage: toMessageUsage({ prompt, completion: 0 }) }
    yield { type: 'message_start', message }
    yield { type: 'ping' }
  }

  *#fill(kind: 'text' | 'thinking', delta: Extract<MessageEvent, { type: 'content_block_delta' }>['delta']) {
    if (this.#open !== kind) {
      yield* this.#close()
      this.#open = kind
      const content_block: Block =
        kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' }
      yield { type: 'content_block_start' as const, index: this.#blocks, content_block }
    }
    yield { type: 'content_block_delta' as const, index: this.#blocks, delta }
  }

  *#close(): Iterable<MessageEvent> {
    if (this.#open) yield { type: 'content_block_stop', index: this.#blocks++ }
    this.#open = undefined
  }

  *#call({ id, name, input }: ToolCall): Iterable<MessageEvent> {
    yield* this.#close()
    const index = this.#blocks++
    yield { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } }
    const partial_json = JSON.stringify(inputOf(input))
    yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }
    yield { type: 'content_block_stop', index }
  }

  *#finish(reason: FinishReason, usage: Usage): Iterable<MessageEvent> {
    yield* this.#close()
    const delta = { stop_reason: stopReasons[reason], stop_sequence: null }
    yield { type: 'message_delta', delta, usage: toMessageUsage(usage) }
    yield { type: 'message_stop' }
  }
}
