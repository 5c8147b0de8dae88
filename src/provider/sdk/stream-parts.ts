/** Replies of servers that are asked without the AI SDK, in its form. */
import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { z } from 'zod'
import type { Progress, TokenChance } from '../../protocol/model.ts'
import { jsonText } from '../error-text.ts'
import { brokenStream, type Endpoint } from '../errors.ts'

/** What the SDK has a form for, and what it has none for. */
export type ReplyPart =
  | LanguageModelV3StreamPart
  /** Of the text before it. */
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenChance[] }
  | Progress

export type CountedTokens = {
  readonly prompt?: number | undefined
  readonly completion?: number | undefined
  readonly cached?: number | undefined
  readonly reasoning?: number | undefined
}

/** `raw` is the reason in the server's own word. */
export function finishPart(raw: string, counted: CountedTokens): LanguageModelV3StreamPart {
  const { prompt, completion, cached, reasoning } = counted
  return {
    type: 'finish',
    finishReason: { raw, unified: UNIFIED[raw] ?? 'other' },
    usage: {
      inputTokens: { total: prompt, noCache: undefined, cacheRead: cached, cacheWrite: undefined },
      outputTokens: { total: completion, text: undefined, reasoning },
      ...(cached !== undefined && { raw: { cached_tokens: cached } }),
    },
  }
}

/**
 * The arguments of a call: text by the standard; some servers send the value itself. One that is no object is refused
 * where calls are prepared, never taken for a call without arguments.
 */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : jsonText(value) || 'nested too deeply'
}

/** One value of a stream; anything else than what was expected breaks it off. */
export function readChunk<T>(schema: z.ZodType<T>, value: unknown, endpoint: Endpoint): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw brokenStream(endpoint, `this is no piece of a reply: ${jsonText(value)}`)
}

/** OpenAI and Ollama say stop and length; llama.cpp says which kind of stop. */
const UNIFIED: Readonly<Record<string, LanguageModelV3FinishReason['unified']>> = {
  stop: 'stop',
  eos: 'stop',
  word: 'stop',
  length: 'length',
  limit: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
}
