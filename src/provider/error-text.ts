/**
 * What model servers say when they fail, and how it is recognised. The wording differs per server and version, so the
 * patterns are data: a new server is a new line here.
 */
import { cleanControl } from '../lib/clean.ts'
import { maskUrls } from '../lib/mask-url.ts'
import { isObject } from '../lib/json.ts'

const MAX_QUOTED = 300

/** The prompt (or prompt plus answer) does not fit the window. */
const OVERFLOW: readonly RegExp[] = [
  /exceed_context_size|exceeds? the (?:available )?context (?:size|length|window|limit)/i, // llama.cpp
  /input \(\d+ tokens\) is too (?:large|long) to process/i, // llama.cpp, longer than its batch
  /context_length_exceeded|maximum (?:context|prompt|model) length|reduce the length of the messages/i, // OpenAI, vLLM, Groq, xAI
  /(?:input|prompt) (?:length )?(?:is )?too (?:long|large)|exceed(?:ed|s) (?:the )?max(?:imum)? context/i, // Anthropic, Ollama
  /input length and .?max_tokens.? exceed/i, // Anthropic
  /input token count .* exceeds/i, // Gemini
  /longer than the (?:model'?s )?(?:maximum|context)|token count exceeds/i, // SGLang
  /when (?:the )?context (?:the )?overflows|loaded with (?:a )?context length of only/i, // LM Studio
  /tokens to keep .* greater than the context length/i, // LM Studio
  /tokens \+ .?max_new_tokens.? must be|too large for model with .* maximum context/i, // TGI, Mistral
]

/** The numbers of a refusal: llama.cpp and vLLM name both, LM Studio the window alone. */
const PROMPT_TOKENS =
  /"n_prompt_tokens":\s*(\d{1,9})|\b(?:request|input|prompt) \((\d{1,9}) tokens\)|(?:requested|has|contains) (?:at least )?(\d{1,9}) (?:input )?tokens/i
const WINDOW =
  /"n_ctx":\s*(\d{1,9})|context size \((\d{1,9}) tokens\)|context length (?:is|of)(?: only)? (\d{1,9})|batch size: (\d{1,9})\)/i

export function overflowNumbers(text: string): { window?: number; promptTokens?: number } {
  const start = text.slice(0, MAX_JUDGED)
  const window = numberIn(WINDOW, start)
  const promptTokens = numberIn(PROMPT_TOKENS, start)
  return { ...(window && { window }), ...(promptTokens && { promptTokens }) }
}

function numberIn(pattern: RegExp, text: string): number | undefined {
  const [, ...groups] = pattern.exec(text) ?? []
  return Number(groups.find((group) => group !== undefined) ?? Number.NaN) || undefined
}

/** The server took the reply for a tool call and could not read it. */
const UNPARSED_CALL: readonly RegExp[] = [
  /failed to parse (?:input|tool|messages|the tool)/i, // llama.cpp, LM Studio
  /pars(?:e|ing)\b.{0,80}\btool|\btool.{0,80}\bpars(?:e|ing)\b/i, // Ollama, SGLang
  /now finding less tool calls/i, // llama.cpp
  /MALFORMED_FUNCTION_CALL/, // Gemini
]

/** It was sent tools and takes none, for this model or as it was started. */
const NO_TOOLS: readonly RegExp[] = [
  /does not support tools|no endpoints found that support tool use/i, // Ollama, OpenRouter
  /requires? --jinja|--enable-auto-tool-choice/i, // llama.cpp, vLLM
  /\btools?\b.{0,30}\b(?:is|are) not supported/i,
]

/** The server is right and the name of the model is not. */
const NO_MODEL =
  /\bmodel\b.{0,200}\b(?:not found|does not exist|not exist|unknown)|(?:no such|unknown|invalid) model\b|model_not_found/i

/** FastAPI's refusal of a body; llama-cpp-python sends it with status 500. */
const INVALID_BODY = /\b\d+ validation errors?\b[^]{0,40}'loc': \('body'/

const LOADING = /\bloading\b|still starting|warming up/i
const BAD_KEY =
  /api[ _-]?key.{0,30}(?:invalid|not valid|incorrect|missing)|(?:invalid|incorrect) api[ _-]?key/i

/** Every server comes to the point before this; some patterns take long on a text that repeats their beginning. */
const MAX_JUDGED = 16_384

const saysOneOf = (patterns: readonly RegExp[], text: string): boolean => {
  const start = text.slice(0, MAX_JUDGED)
  return patterns.some((pattern) => pattern.test(start))
}

export const saysOverflow = (text: string): boolean => saysOneOf(OVERFLOW, text)
export const saysUnparsedCall = (text: string): boolean => saysOneOf(UNPARSED_CALL, text)
export const saysNoTools = (text: string): boolean => saysOneOf(NO_TOOLS, text)
export const saysNoModel = (text: string): boolean => saysOneOf([NO_MODEL], text)
export const saysInvalidBody = (text: string): boolean => saysOneOf([INVALID_BODY], text)
export const saysLoading = (text: string): boolean => saysOneOf([LOADING], text)
export const saysBadKey = (text: string): boolean => saysOneOf([BAD_KEY], text)

/** The server's own words: the message of its JSON error in any of the known shapes, else the start of the text. */
export function serverText(body: string, secrets: readonly string[]): string {
  if (isHtml(body)) return 'an HTML page'
  return excerpt(messageIn(parsed(body)) ?? body, secrets, MAX_QUOTED)
}

/** An error object out of a stream or a body, in the shape of OpenAI, Anthropic, FastAPI, Ollama or Google. */
export function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value
  if (depth > DEEPEST) return undefined
  if (Array.isArray(value)) return messageIn(value[0], depth + 1)
  if (!isObject(value)) return undefined
  for (const key of ['error', 'message', 'detail', 'msg']) {
    const found = messageIn(value[key], depth + 1)
    if (found) return found
  }
  return undefined
}

const DEEPEST = 8

const isHtml = (body: string): boolean => /^\s*<(?:!doctype|html|head|body)/i.test(body)

/** The beginning of what a server wrote, as one line that is safe to show. */
export function excerpt(text: string, secrets: readonly string[], length: number): string {
  // Keys go before the cut: one that is cut in two would not be known any more.
  const line = maskUrls(withoutSecrets(text.slice(0, MAX_JUDGED), secrets))
    .trim()
    .replace(/\s+/g, ' ')
  return cleanControl(line.length > length ? `${line.slice(0, length)}...` : line)
}

/** A value from outside, as text; what is nested too deeply for that has none. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** Servers repeat the key they refuse; it must not reach a log or a screen. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length)
  const known = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
  return known.replace(/\b(?:(?:sk|pk|rk|gsk|xai)[-_]|AIza)[-\w*]{8,}/g, '[key]')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}
