/**
 * A reply as the AI SDK streams it, told as model events. Text and reasoning pass as they come; calls are held until the
 * server has said that the reply is whole, because the SDK also hands out calls that a broken stream cut in two.
 */
import type { LanguageModelV3FinishReason, LanguageModelV3Usage } from '@ai-sdk/provider'
import { leastShare, type WrittenToken } from '../dialect/decision.ts'
import { canonicalJson, readJson } from '../lib/json.ts'
import { AppError } from '../protocol/error.ts'
import type { ReplyEvent, ReplyReader } from '../protocol/dialect.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { FinishReason, ModelEvent, ModelRequest, TokenChance, Usage } from '../protocol/model.ts'
import { brokenStream, type Endpoint } from './errors.ts'
import type { ReplyPart } from './stream-parts.ts'

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
  const { reader, endpoint } = parts
  const native: ToolCall[] = []
  const written: ToolCall[] = []
  const tokens: WrittenToken[] = []
  const told: ReplyEvent[] = []
  const tell = (events: readonly ReplyEvent[]): readonly ModelEvent[] => {
    told.push(...events)
    return holdCalls(events, written)
  }

  for await (const part of stream) {
    if (part.type === 'reasoning-delta') {
      if (part.delta !== '') yield { type: 'reasoning-delta', text: part.delta }
    } else if (part.type === 'text-delta') {
      const events = reader?.push(part.delta) ?? [{ type: 'text-delta', text: part.delta }]
      for (const event of tell(events)) yield event
    } else if (part.type === 'tool-call') {
      native.push({ id: part.toolCallId, name: part.toolName, input: part.input })
    } else if (part.type === 'logprobs') {
      tokens.push(...part.tokens.map(toWritten))
      yield part
    } else if (part.type === 'error') {
      throw part.error
    } else if (part.type === 'finish') {
      requireWhole(part.finishReason, endpoint)
      for (const event of tell(reader?.end() ?? [])) yield event
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

/** What is told now. A list: `yield*` over a generator costs several promises for every token. */
function holdCalls(events: readonly ReplyEvent[], held: ToolCall[]): readonly ModelEvent[] {
  const told: ModelEvent[] = []
  for (const event of events) {
    if (event.type === 'tool-call') held.push(event.call)
    else if (!('text' in event) || event.text !== '') told.push(event)
  }
  return told
}

const toWritten = ({ token, logprob }: TokenChance): WrittenToken => ({
  text: token,
  share: Math.min(1, Math.exp(logprob)),
})

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
  return calls.map((call) => {
    const stem = call.id || 'call'
    let id = stem
    for (let suffix = 2; used.has(id); suffix++) id = `${stem}-${suffix}`
    used.add(id)
    return { ...call, id }
  })
}

function toUsage({ inputTokens, outputTokens, raw }: LanguageModelV3Usage): Usage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined
  // The SDK says 0 both for "nothing cached" and for "not reported".
  const reportsCache = /cache/i.test(JSON.stringify(raw ?? {}))
  return {
    prompt: inputTokens.total,
    completion: outputTokens.total,
    ...(reportsCache && inputTokens.cacheRead !== undefined && { cached: inputTokens.cacheRead }),
    ...(outputTokens.reasoning && { reasoning: outputTokens.reasoning }),
  }
}

function toFinishReason({ unified }: LanguageModelV3FinishReason, hasCalls: boolean): FinishReason {
  if (unified === 'stop') return hasCalls ? 'tool-calls' : 'stop'
  if (unified === 'content-filter') return 'filter'
  return unified === 'length' || unified === 'tool-calls' ? unified : 'unknown'
}
