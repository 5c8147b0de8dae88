/**
 * How many tokens something takes. An arm's own tokenizer is best; the estimate below is the last resort. Either way
 * what the server reports corrects it, so that the size in use is the server's, not our sum.
 */
import type { Message, ToolCall } from '../protocol/message.ts'
import type { ToolSchema } from '../protocol/model.ts'

export type CountTokens = (text: string) => number

/**
 * Linear in the length, never below characters / 4. Weights are fitted to o200k over source, JSON, prose and logs, those of
 * Chinese, Japanese and encoded data to cl100k, and lean upwards: a prompt that is too long costs a refusal, one
 * counted too long only an earlier compaction. None leans above 1.7 times, or a report of the server would look like a
 * prompt it had cut.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [run] of text.matchAll(UNBROKEN)) if (MIXED.test(run)) tokens += run.length * ENCODED_EXTRA
  let start = 0
  let kind = kindOf(text.charCodeAt(0))
  for (let index = 1; index <= text.length; index++) {
    const next = kindOf(text.charCodeAt(index))
    if (next === kind && index < text.length) continue
    // One capital belongs to the word it begins.
    const isCapital = kind === 'upper' && next === 'lower' && index - start === 1
    if (!isCapital) {
      tokens += cost[kind](index - start)
      start = index
    }
    kind = next
  }
  return Math.max(Math.ceil(tokens), Math.ceil(text.length / 4))
}

/** Base64, keys, hashes: no vocabulary has words for them. */
const UNBROKEN = /(?<![\w+/=-])[\w+/=-]{64,}/g
const MIXED = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)/
const ENCODED_EXTRA = 0.2

/**
 * The share of a text, 0-1, whose count differs most between tokenizers: what is not ASCII, and encoded data. The rest is
 * estimated well enough to rely on.
 */
export function unsureShare(texts: readonly string[]): number {
  let unsure = 0
  let all = 0
  for (const text of texts) {
    all += text.length
    for (const [run] of text.matchAll(UNSURE)) unsure += run.length
  }
  return all === 0 ? 0 : unsure / all
}

const UNSURE = /[^\0-\x7f]+|(?<![\w+/=-])[\w+/=-]{64,}/g

type Kind =
  | 'lower'
  | 'upper'
  | 'digit'
  | 'space'
  | 'line'
  | 'mark'
  | 'latin'
  | 'script'
  | 'hangul'
  | 'dense'
  | 'emoji'

/** Tokens of a run of one kind, by its length. */
const cost: Readonly<Record<Kind, (length: number) => number>> = {
  lower: (length) => (length <= 7 ? 1 : 1 + (length - 7) / 5),
  upper: (length) => 0.2 + length / 2.5,
  digit: (length) => 0.4 + length / 2.5,
  space: (length) => (length > 1 ? 1 : 0),
  line: () => 0.7,
  mark: (length) => (length <= 2 ? 0.9 : length / 2.2),
  latin: (length) => length * 0.8,
  script: (length) => length * 0.45,
  hangul: (length) => length * 0.85,
  dense: (length) => length,
  emoji: (length) => length * 1.4,
}

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'lower'
  if (code === 32 || code === 9) return 'space'
  if (code >= 65 && code <= 90) return 'upper'
  if (code >= 48 && code <= 57) return 'digit'
  if (code === 10 || code === 13) return 'line'
  if (code < 0x80) return 'mark'
  return foreign.find(({ below }) => code < below)?.kind ?? 'dense'
}

/** Blocks of Unicode in their order, each up to where the next begins. */
const foreign: readonly { readonly below: number; readonly kind: Kind }[] = [
  { below: 0x250, kind: 'latin' },
  { below: 0x2e80, kind: 'script' },
  { below: 0xac00, kind: 'dense' },
  { below: 0xd7b0, kind: 'hangul' },
  { below: 0xe000, kind: 'emoji' },
]

export type TokenCounter = {
  readonly count: CountTokens
  /** `counted` is what this counter said about a whole prompt, `reported` what the server said about the same one. */
  observe(counted: number, reported: number): void
  /** The arm's own tokenizer counts: here, or on the server that reported what it counted. */
  isExact(): boolean
}

/** Below this a report says more about the chat template than about the text. */
const SMALLEST_REPORT = 256

export type CounterParts = {
  readonly exact?: CountTokens
  /** Better than the estimate here, and not exact for every text. */
  readonly estimate?: CountTokens
}

export function createTokenCounter({ exact, estimate }: CounterParts = {}): TokenCounter {
  const raw = exact ?? estimate ?? estimateTokens
  let factor = 1
  let isExact = exact !== undefined
  let last: { counted: number; reported: number } | undefined
  return {
    isExact: () => isExact,
    count: (text) => (text === '' ? 0 : Math.ceil(raw(text) * factor)),
    observe(counted, reported) {
      const before = last
      last = { counted, reported }
      // Some servers report one number for every prompt.
      const isConstant = before?.reported === reported && Math.abs(counted / before.counted - 1) > 0.02
      const ratio = (reported / counted) * factor
      if (isConstant || reported < SMALLEST_REPORT || !isPlausible(ratio)) return
      factor = Math.min(2, Math.max(0.5, ratio))
      isExact = true
    },
  }
}

/** Far below one is a prompt the server cut; far above, a server that counts something else. */
const isPlausible = (ratio: number): boolean => ratio >= 0.5 && ratio <= 4

/** What a chat template puts around a message and around a call. */
const MESSAGE_OVERHEAD = 5
const CALL_OVERHEAD = 10
export const IMAGE_TOKENS = 800

export type MessageView = { readonly count: CountTokens; readonly reasoning?: 'keep' | 'drop' }

export function messageTokens(message: Message, { count, reasoning = 'drop' }: MessageView): number {
  const text = MESSAGE_OVERHEAD + count(message.text)
  if (message.role === 'tool') return text
  if (message.role === 'user') return text + (message.images?.length ?? 0) * IMAGE_TOKENS
  const thought = reasoning === 'keep' && message.reasoning ? count(message.reasoning) : 0
  return text + thought + sum(message.calls.map((call) => callTokens(call, count)))
}

const callTokens = ({ name, input }: ToolCall, count: CountTokens): number =>
  CALL_OVERHEAD + count(name) + count(input)

export const messagesTokens = (messages: readonly Message[], view: MessageView): number =>
  sum(messages.map((message) => messageTokens(message, view)))

/** What every request of a session carries whatever is said: the system text and the tools. */
export const fixedTokens = (system: string, tools: readonly ToolSchema[], count: CountTokens): number =>
  count(system) + MESSAGE_OVERHEAD + (tools.length === 0 ? 0 : count(JSON.stringify(tools)))

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0)
