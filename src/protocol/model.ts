/**
 * Anything that can answer, and what it is asked and says. A provider, the router, a swarm, a peer and the scripted
 * model of the tests are all Models, so each can stand where another stood.
 */
import type { KnownValues } from './known-values.ts'
import type { Message, ToolCall } from './message.ts'
import type { VoteEvent } from './vote.ts'

export type JsonSchema = { readonly [key: string]: unknown }

/** The description of a tool that a model receives. */
export type ToolSchema = {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonSchema
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json'; readonly schema?: JsonSchema; readonly name?: string }

/** How hard the model may think in this request: the arm's own way, or not at all. */
export type Thinking = 'default' | 'off'

/** A neutral request: fitting, emitting and rendering it for one arm happen at that arm's edge. */
export type ModelRequest = {
  readonly runId: string
  readonly sessionId: string
  readonly turn: number
  readonly task?: string
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSchema[]
  readonly toolChoice?: ToolChoice
  readonly responseFormat?: ResponseFormat
  readonly maxTokens?: number
  readonly temperature?: number
  readonly repeatPenalty?: number
  readonly topP?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  /** How many alternatives to report for each token; 0 = only the token's own. Absent = none. */
  readonly logprobs?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly thinking?: Thinking
  /** Go on writing the last assistant message instead of starting a new one. Only where `capabilities.prefill`. */
  readonly continueLast?: boolean
  /** The guard checks every call and can ask the user, so the model may mark a call `unsure` instead of refusing. */
  readonly guarded?: true
  /** What arguments may be, for arms whose sampling we control; never sent to a server. */
  readonly values?: KnownValues
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'filter' | 'unknown'

/** Tokens as the server counted them. `cached` is the part of `prompt` that was not prefilled again. */
export type Usage = {
  readonly prompt: number
  readonly completion: number
  readonly cached?: number
  readonly reasoning?: number
}

/** A token and the logarithm of its share, with those that could have stood there. */
export type TokenChance = {
  readonly token: string
  readonly logprob: number
  readonly top: readonly { readonly token: string; readonly logprob: number }[]
}

/** What happens before the first word: weights are loaded, the request waits in a queue, the prompt is read. */
export type Progress = {
  readonly type: 'progress'
  readonly stage: 'loading' | 'queued' | 'reading'
  /** Of `total`; a share of 1 where only a percentage is known. Absent = only the total is known. */
  readonly done?: number
  /** Loading: 1. Queued: how many are waiting. Reading: tokens of the prompt. */
  readonly total: number
  /** Tokens of the prompt that came from the server's cache. */
  readonly cached?: number
}

export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  /** Text meant as a call that cannot be parsed; the model receives the reason. */
  | { readonly type: 'bad-call'; readonly name?: string; readonly reason: string }
  | { readonly type: 'proposal'; readonly command: string }
  | Progress
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly why: string }
  /** Everything since the start of this reply is void; it begins again. */
  | { readonly type: 'reply-restart'; readonly why: string }
  /** The model says that this request is beyond it: the words that follow are no answer. Comes before them. */
  | { readonly type: 'refusal' }
  | VoteEvent
  /** Of the text before it; only where the request asked for them and the arm can tell. */
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenChance[] }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** `confidence`: the share its least sure choice had, 0-1, where the model can tell. */
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly confidence?: number }

/**
 * Fails by throwing an AppError from the iterator; ends early only when `signal` aborts. The last event of a reply that
 * was not cut off is `finish`.
 */
export interface Model {
  readonly name: string
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}
