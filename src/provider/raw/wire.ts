/**
 * How local servers take a prompt that is already rendered, and how they stream the text that follows it: llama.cpp,
 * Ollama, and the `/v1/completions` of vLLM, LM Studio and others. Only fields named here are ever sent.
 */
import { z } from 'zod'
import type { ModelRequest, Progress, TokenChance } from '../../protocol/model.ts'
import { readChances, readLegacyChances } from '../chances.ts'
import type { Endpoint } from '../errors.ts'
import type { ServerKind } from '../probe/findings.ts'
import { samplingFields } from '../sampling.ts'
import { readPromptProgress } from '../prompt-progress.ts'
import { readChunk, type CountedTokens } from '../sdk/stream-parts.ts'
import { defined } from '../../lib/object.ts'

export type RawAsk = {
  readonly model: string
  /** Text; on llama.cpp also pieces of text and tokens. */
  readonly prompt: string | readonly (string | number)[]
  readonly request: ModelRequest
  readonly window: number
  readonly stop: readonly string[]
  /** Tokens of the model's own that must show in its text. */
  readonly preserved: readonly string[]
  readonly slot: number
  readonly grammar?: string | undefined
}

/** Tokens a second, as the server measured them. */
export type Timings = { readonly prefill?: number; readonly decode?: number }

/** Reason and tokens may come in one event or in two. */
export type RawPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reason'; readonly reason: string }
  /** Of the text before it. */
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenChance[] }
  | ({ readonly type: 'tokens' } & CountedTokens)
  | ({ readonly type: 'timings' } & Timings)
  | Progress

export type RawWire = {
  readonly path: string
  body(ask: RawAsk): object
  /** What one value of the stream says. */
  parts(value: unknown, endpoint: Endpoint): RawPart[]
}

export const rawWireFor = (server: ServerKind): RawWire =>
  server === 'llama.cpp' ? llamaCpp : server === 'ollama' ? ollama : completions

const LlamaCppChunk = z.object({
  content: z.string().default(''),
  completion_probabilities: z.unknown().optional(),
  prompt_progress: z.unknown().optional(),
  stop: z.boolean().default(false),
  stop_type: z.string().optional(),
  stopped_limit: z.boolean().optional(),
  tokens_evaluated: z.number().optional(),
  tokens_predicted: z.number().optional(),
  timings: z
    .object({
      prompt_n: z.number().optional(),
      cache_n: z.number().optional(),
      prompt_per_second: z.number().nullish(),
      predicted_per_second: z.number().nullish(),
    })
    .optional(),
})

const llamaCpp: RawWire = {
  path: '/completion',
  body: ({ prompt, request, stop, preserved, slot, grammar }) => ({
    prompt,
    stream: true,
    return_progress: true,
    cache_prompt: true,
    id_slot: slot,
    stop,
    ...(preserved.length > 0 && { preserved_tokens: preserved }),
    ...defined({ grammar, n_predict: request.maxTokens }),
    ...sampling(request, 'repeat_penalty'),
    // Without alternatives the server tells nothing at all.
    ...(request.logprobs !== undefined && { n_probs: Math.max(1, request.logprobs) }),
  }),
  parts(value, endpoint) {
    const chunk = readChunk(LlamaCppChunk, value, endpoint)
    const text = [
      ...readPromptProgress(chunk.prompt_progress),
      ...textPart(chunk.content),
      ...chancesPart(readChances(chunk.completion_probabilities)),
    ]
    if (!chunk.stop) return text
    const { tokens_evaluated: prompt, tokens_predicted: completion, timings = {} } = chunk
    const worked = timings.prompt_n
    const cached =
      timings.cache_n ?? (prompt === undefined || worked === undefined ? undefined : prompt - worked)
    const reason = chunk.stop_type ?? (chunk.stopped_limit ? 'limit' : 'stop')
    return [
      ...text,
      toTimings(timings.prompt_per_second, timings.predicted_per_second),
      { type: 'tokens', prompt, completion, cached },
      { type: 'reason', reason },
    ]
  },
}

const OllamaChunk = z.object({
  response: z.string().default(''),
  logprobs: z.unknown().optional(),
  done: z.boolean().default(false),
  done_reason: z.string().default('stop'),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional(),
  eval_duration: z.number().optional(),
})

const ollama: RawWire = {
  path: '/api/generate',
  body: ({ model, prompt, request, window, stop }) => ({
    model,
    prompt,
    raw: true,
    stream: true,
    ...(request.logprobs !== undefined && { logprobs: true, top_logprobs: request.logprobs }),
    options: {
      num_ctx: window,
      stop,
      ...defined({ num_predict: request.maxTokens }),
      ...sampling(request, 'repeat_penalty'),
    },
  }),
  parts(value, endpoint) {
    const chunk = readChunk(OllamaChunk, value, endpoint)
    const text = [...textPart(chunk.response), ...chancesPart(readChances(chunk.logprobs))]
    if (!chunk.done) return text
    return [
      ...text,
      // It counts the whole prompt and times only what was not in its cache: no speed of reading follows from that.
      toTimings(undefined, perSecond(chunk.eval_count, chunk.eval_duration)),
      { type: 'tokens', prompt: chunk.prompt_eval_count, completion: chunk.eval_count },
      { type: 'reason', reason: chunk.done_reason },
    ]
  },
}

const CompletionChunk = z.object({
  choices: z
    .array(
      z.object({
        text: z.string().default(''),
        logprobs: z.unknown().optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number().default(0),
      prompt_tokens_details: z.object({ cached_tokens: z.number().optional() }).nullish(),
    })
    // Counts in a form of its own are no reason to lose the reply.
    .nullish()
    .catch(undefined),
})

const completions: RawWire = {
  path: '/v1/completions',
  body: ({ model, prompt, request, stop }) => ({
    model,
    prompt,
    stream: true,
    stream_options: { include_usage: true },
    stop,
    // vLLM would hide the tokens a family marks its calls with.
    skip_special_tokens: false,
    ...defined({ max_tokens: request.maxTokens }),
    ...sampling(request, 'repetition_penalty'),
    ...defined({ logprobs: request.logprobs }),
  }),
  parts(value, endpoint) {
    const { choices, usage } = readChunk(CompletionChunk, value, endpoint)
    const [choice] = choices
    const tokens: RawPart | undefined = usage
      ? {
          type: 'tokens',
          prompt: usage.prompt_tokens,
          completion: usage.completion_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens,
        }
      : undefined
    return [
      ...textPart(choice?.text ?? ''),
      ...chancesPart(readLegacyChances(choice?.logprobs)),
      ...(choice?.finish_reason ? [{ type: 'reason' as const, reason: choice.finish_reason }] : []),
      ...(tokens ? [tokens] : []),
    ]
  },
}

const sampling = (request: ModelRequest, penalty: string): object => ({
  ...samplingFields(request),
  ...(request.repeatPenalty !== undefined && { [penalty]: request.repeatPenalty }),
})

const textPart = (text: string): RawPart[] => (text === '' ? [] : [{ type: 'text', text }])

const chancesPart = (tokens: readonly TokenChance[]): RawPart[] =>
  tokens.length === 0 ? [] : [{ type: 'logprobs', tokens }]

const toTimings = (prefill: number | null | undefined, decode: number | null | undefined): RawPart => ({
  type: 'timings',
  ...(prefill && { prefill }),
  ...(decode && { decode }),
})

/** Ollama counts in nanoseconds. */
const perSecond = (tokens: number | undefined, nanoseconds: number | undefined): number | undefined =>
  tokens && nanoseconds ? (tokens / nanoseconds) * 1e9 : undefined
