/**
 * What servers and model families want beyond the common request, as data. A rule applies when all it names match; later
 * rules win key by key. Nothing from outside reaches the wire except through these fields.
 */
import type { JSONObject } from '@ai-sdk/provider'
import { shortHash } from '../lib/hash.ts'
import type { ModelRequest } from '../protocol/model.ts'

export type ProviderKind = 'openai-compatible' | 'openai' | 'anthropic' | 'google'

export type Quirks = {
  /** Fields of every request. */
  readonly always?: JSONObject
  /** Fields that keep the model from thinking, or make it think least where it cannot be stopped. */
  readonly thinkingOff?: JSONObject
  /** Fields that make the server go on with the last assistant message. */
  readonly continueLast?: JSONObject
  /** What the repetition penalty is called; absent = it cannot be set. */
  readonly repeatPenalty?: readonly string[]
  /** Ids that do not match are replaced by a hash of this length, the same one each time. */
  readonly callIds?: { readonly valid: RegExp; readonly length: number }
}

export type QuirkSubject = {
  readonly kind: ProviderKind
  readonly model: string
  readonly baseUrl?: string
  readonly local: boolean
  /** Asked by Ollama's own API, which takes the size of the window. */
  readonly numCtx?: number
}

export function quirksFor(subject: QuirkSubject, configured: Quirks = {}): Quirks {
  const matching = rules.filter((rule) => matches(rule, subject)).map((rule) => rule.quirks)
  return Object.assign({}, ...matching, configured) as Quirks
}

/** The fields one request carries beyond the common ones. */
export function requestFields(quirks: Quirks, request: ModelRequest): JSONObject {
  const penalty = request.repeatPenalty
  return {
    ...quirks.always,
    // llama.cpp refuses to continue a message while thinking is on.
    ...((request.thinking === 'off' || request.continueLast) && quirks.thinkingOff),
    ...(request.continueLast && quirks.continueLast),
    ...(penalty !== undefined &&
      Object.fromEntries((quirks.repeatPenalty ?? []).map((name) => [name, penalty]))),
  }
}

export function wireCallId(id: string, quirks: Quirks): string {
  const rule = quirks.callIds
  return !rule || rule.valid.test(id) ? id : shortHash(id).slice(0, rule.length)
}

type Rule = {
  readonly kind?: ProviderKind
  readonly local?: boolean
  readonly url?: RegExp
  readonly model?: RegExp
  /** Asked by Ollama's own API. */
  readonly ollama?: true
  readonly quirks: Quirks
}

const matches = (rule: Rule, subject: QuirkSubject): boolean =>
  (rule.kind === undefined || rule.kind === subject.kind) &&
  (rule.local === undefined || rule.local === subject.local) &&
  (rule.url === undefined || rule.url.test(subject.baseUrl ?? '')) &&
  (rule.model === undefined || rule.model.test(subject.model)) &&
  (rule.ollama === undefined || subject.numCtx !== undefined)

const rules: readonly Rule[] = [
  {
    // Local servers drop fields they do not know, so one set serves llama.cpp, vLLM, SGLang, Ollama and LM Studio.
    kind: 'openai-compatible',
    local: true,
    quirks: {
      always: { cache_prompt: true },
      repeatPenalty: ['repeat_penalty', 'repetition_penalty'],
      thinkingOff: { chat_template_kwargs: { enable_thinking: false, thinking: false } },
      continueLast: { add_generation_prompt: false, continue_final_message: true },
    },
  },
  // Ollama renders its own templates and takes no arguments for them.
  { url: /:11434\b/, quirks: { thinkingOff: { reasoningEffort: 'none' } } },
  {
    kind: 'openai-compatible',
    model: /gpt-oss/i,
    quirks: {
      thinkingOff: { reasoningEffort: 'low', chat_template_kwargs: { reasoning_effort: 'low' } },
    },
  },
  {
    ollama: true,
    quirks: {
      always: {},
      thinkingOff: { think: false },
      continueLast: {},
      repeatPenalty: ['repeat_penalty'],
    },
  },
  { ollama: true, model: /gpt-oss/i, quirks: { thinkingOff: { think: 'low' } } },
  { url: /openrouter\.ai/, quirks: { thinkingOff: { reasoning: { enabled: false } } } },
  { url: /deepseek\.com|\bz\.ai|bigmodel\.cn/, quirks: { thinkingOff: { thinking: { type: 'disabled' } } } },
  { url: /dashscope/, quirks: { thinkingOff: { enable_thinking: false } } },

  // The family's templates raise an error on any other form, on their own servers and in llama.cpp alike.
  {
    model: /(?:mi|mini|math|code|dev|magi)stral|mixtral/i,
    quirks: { callIds: { valid: /^[a-zA-Z0-9]{9}$/, length: 9 } },
  },

  // Without `store: false` OpenAI keeps every conversation.
  { kind: 'openai', quirks: { always: { store: false }, callIds: { valid: /^.{1,40}$/, length: 16 } } },
  { kind: 'openai', model: /^(?:o\d|gpt-[6-9])/, quirks: { thinkingOff: { reasoningEffort: 'low' } } },
  { kind: 'openai', model: /^gpt-5(?!\.)/, quirks: { thinkingOff: { reasoningEffort: 'minimal' } } },
  { kind: 'openai', model: /^gpt-5\./, quirks: { thinkingOff: { reasoningEffort: 'none' } } },
  {
    kind: 'anthropic',
    quirks: {
      always: { cacheControl: { type: 'ephemeral' } },
      callIds: { valid: /^[\w-]{1,64}$/, length: 16 },
    },
  },
  {
    kind: 'google',
    model: /gemini-2\.5-flash/,
    quirks: { thinkingOff: { thinkingConfig: { thinkingBudget: 0 } } },
  },
  {
    kind: 'google',
    model: /gemini-2\.5-pro/,
    quirks: { thinkingOff: { thinkingConfig: { thinkingBudget: 128 } } },
  },
  {
    kind: 'google',
    model: /gemini-[3-9]/,
    quirks: { thinkingOff: { thinkingConfig: { thinkingLevel: 'low' } } },
  },
]
