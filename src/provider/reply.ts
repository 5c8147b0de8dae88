/**
 * A reply as the AI SDK streams it, told as model events. Text and reasoning pass as they come; calls are held until
 * the server has said that the reply is whole, because the SDK also hands out calls that a broken stream cut in two.
 */
import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from '@ai-sdk/provider'
import { toLimitedReader } from '../dialect/read/at-limit.ts'
import { leastShare, type WrittenToken } from '../dialect/read/decision.ts'
import { isTooDeep, TOO_DEEP } from '../dialect/read/repair.ts'
import { canonicalJson, readJson } from '../lib/json.ts'
import { AppError } from '../protocol/error.ts'
import type { ReplyEvent, ReplyReader } from '../protocol/dialect.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, ModelEvent, ModelRequest, TokenChance, Usage } from '../protocol/model.ts'
import { brokenStream, type Endpoint } from './errors.ts'
import type { ReplyPart } from './sdk/stream-parts.ts'

export type ReplyParts = {
  readonly endpoint: Endpoint
  /** Finds calls and reasoning in the text of servers that leave them there. */
  readonly reader?: ReplyReader
  /** Ids the conversation has already used; some servers start from `call_0` in every reply. */
  readonly takenIds: Iterable<string>
}

export async function* readReplyParts(
  stream: AsyncIterable<ReplyPart>,
  parts: ReplyParts,
): AsyncGenerator<ModelEvent> {
  const { endpoint } = parts
  const reader = parts.reader && toLimitedReader(parts.reader)
  const native: ToolCall[] = []
  const written: ToolCall[] = []
  const tokens: WrittenToken[] = []
  const told: ReplyEvent[] = []
  const tell = (events: readonly ReplyEvent[]): readonly ModelEvent[] => {
    // One by one: a list as long as a server likes overflows the stack as arguments.
    for (const event of events) told.push(event)
    return holdCalls(events, written)
  }

  let size = 0
  for await (const part of stream) {
    size += 'delta' in part ? part.delta.length + PIECE : 0
    if (size > MAX_REPLY) throw brokenStream(endpoint, 'it is longer than any reply')
    if (part.type === 'reasoning-delta') {
      if (part.delta !== '') yield { type: 'reasoning-delta', text: part.delta }
    } else if (part.type === 'text-delta') {
      const events = reader?.push(part.delta) ?? [{ type: 'text-delta', text: part.delta }]
      for (const event of tell(events)) yield event
    } else if (part.type === 'tool-call') {
      const call = { id: part.toolCallId, name: part.toolName, input: part.input }
      if (isTooDeep(parsed(call.input))) yield tooDeep(call)
      else native.push(call)
    } else if (part.type === 'logprobs' || part.type === 'progress') {
      if (part.type === 'logprobs') addTokens(tokens, part.tokens)
      yield part
    } else if (part.type === 'error') {
      throw part.error
    } else if (part.type === 'finish') {
      requireWhole(part.finishReason, endpoint)
      for (const event of tell(reader?.end(part.finishReason.unified === 'length') ?? [])) yield event
      const calls = withUniqueIds([...native, ...withoutRepeats(written, native)], parts.takenIds)
      for (const call of calls) yield { type: 'tool-call', call }
      const usage = toUsage(part.usage)
      if (usage) yield { type: 'usage', usage }
      const confidence = leastShare(tokens, [...told, ...native.map(toEvent)])
      const reason = toFinishReason(part.finishReason, calls.length > 0)
      yield { type: 'finish', reason, ...(confidence !== undefined && { confidence }) }
      return
    }
  }
  throw brokenStream(endpoint, 'it ended without a finish reason')
}

/** A reply that goes on and on must not fill the memory: a million tokens or so. */
const MAX_REPLY = 16 * 1024 * 1024
/** What a piece takes, however short it is. */
const PIECE = 16

/** Code that walks such arguments would overflow the stack. */
const tooDeep = ({ name }: ToolCall): ModelEvent => ({
  type: 'bad-call',
  name,
  reason: `The arguments of ${name} could not be read: ${TOO_DEEP}. Write one JSON object.`,
})

function parsed(input: string): unknown {
  const reading = input.length < SHALLOW ? undefined : readJson(input)
  return reading?.ok ? reading.value : undefined
}

/** A shorter text cannot be nested too deeply. */
const SHALLOW = 200

/** The events to send now. A list: `yield*` over a generator costs several promises for every token. */
function holdCalls(events: readonly ReplyEvent[], held: ToolCall[]): readonly ModelEvent[] {
  const told: ModelEvent[] = []
  for (const event of events) {
    if (event.type === 'tool-call') held.push(event.call)
    else if (!('text' in event) || event.text !== '') told.push(event)
  }
  return told
}

/** One by one: a server may send more at once than a call takes arguments. */
function addTokens(tokens: WrittenToken[], written: readonly TokenChance[]): void {
  for (const { token, logprob } of written)
    tokens.push({ text: token, share: Math.min(1, Math.exp(logprob)) })
}

/** Few servers tell of the tokens their own calls were read from; where they do, the call is found in those. */
const toEvent = (call: ToolCall): ReplyEvent => ({ type: 'tool-call', call })

/** Some SDK models end a cut stream with a finish part; it then carries no reason from the server. */
function requireWhole({ unified, raw }: LanguageModelV3FinishReason, endpoint: Endpoint): void {
  if (raw === 'MALFORMED_FUNCTION_CALL') {
    throw new AppError(
      'model-unavailable',
      `${endpoint.arm}: the server could not read the model's tool call.`,
      {
        unparsedCall: true,
      },
    )
  }
  if (raw === undefined && (unified === 'other' || unified === 'error')) {
    throw brokenStream(endpoint, 'it ended without a finish reason')
  }
}

/** A server that reads a call out of the text may leave it in the text as well. */
function withoutRepeats(written: readonly ToolCall[], native: readonly ToolCall[]): ToolCall[] {
  const known = new Set(native.map(callKey))
  return written.filter((call) => !known.has(callKey(call)))
}

function callKey(call: ToolCall): string {
  const input = readJson(call.input)
  return `${call.name} ${input.ok ? canonicalJson(input.value) : call.input}`
}

/** The ids a conversation has used so far. */
export const callIds = (request: ModelRequest): string[] =>
  request.messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map((call) => call.id) : [],
  )

function withUniqueIds(calls: readonly ToolCall[], taken: Iterable<string>): ToolCall[] {
  const used = new Set(taken)
  /** Where to go on counting: a server may call all of its calls the same. */
  const next = new Map<string, number>()
  return calls.map((call) => {
    const stem = USABLE_ID.test(call.id) ? call.id : 'call'
    let id = stem
    let suffix = next.get(stem) ?? 2
    for (; used.has(id); suffix++) id = `${stem}-${suffix}`
    next.set(stem, suffix)
    used.add(id)
    return { ...call, id }
  })
}

/** An id goes back to the server and into the log; one that is no plain word is not kept. */
const USABLE_ID = /^[!-~]{1,256}$/

function toUsage({ inputTokens, outputTokens, raw }: LanguageModelV3Usage): Usage | undefined {
  const { total: prompt, cacheRead: cached } = inputTokens
  const { total: completion, reasoning } = outputTokens
  if (!isCount(prompt) || !isCount(completion)) return undefined
  // The SDK says 0 both for "nothing cached" and for "not reported".
  const reportsCache = /cache/i.test(JSON.stringify(raw ?? {}))
  return {
    prompt,
    completion,
    ...(reportsCache && isCount(cached) && cached <= prompt && { cached }),
    ...(isCount(reasoning) && reasoning > 0 && { reasoning }),
  }
}

/** Budgets are learnt from what servers count; what cannot be a count is as good as none. */
const isCount = (value: number | undefined): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

function toFinishReason({ unified }: LanguageModelV3FinishReason, hasCalls: boolean): FinishReason {
  if (unified === 'stop') return hasCalls ? 'tool-calls' : 'stop'
  if (unified === 'content-filter') return 'filter'
  return unified === 'length' || unified === 'tool-calls' ? unified : 'unknown'
}
