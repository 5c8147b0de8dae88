/**
 * A client's request made to fit a small window. Clients write for windows of 200,000 tokens and send everything again
 * each time, so that this must be a pure function whose cuts stay where they are while the conversation grows: what stands
 * before the conversation is cut by its own size alone, and old turns leave in large steps counted from the beginning.
 */
import type { Message } from '../protocol/message.ts'
import type { ModelRequest } from '../protocol/model.ts'
import { budgetFor } from './budget.ts'
import { type CountTokens, estimateTokens, fixedTokens, messagesTokens, messageTokens, sum } from './count.ts'
import { cutMiddle } from './cut.ts'
import { toDigest } from './digest.ts'
import { type Group, toGroups } from './history.ts'
import { shortenTools } from './shorten-tools.ts'
import { type StagedTools, stageTools, wantedTools } from './stage-tools.ts'
import { truncateMessages } from './truncate.ts'

export type ClientWindow = { readonly window: number; readonly count: CountTokens }

export type ClientFitted =
  | {
      readonly ok: true
      readonly request: ModelRequest
      readonly shortened: readonly string[]
      /** The tool that stands for those which are only listed; its calls are calls of theirs. */
      readonly callTool?: string
    }
  | { readonly ok: false; readonly tokens: number; readonly window: number }

export function fitClient(request: ModelRequest, { window, count }: ClientWindow): ClientFitted {
  const most = mostTokens(request)
  if (most <= window - budgetFor(window).reserve)
    return { ok: true, request: withLimit(request, window - most), shortened: [] }
  const size = sizeOf(window, count)
  const fixed = fitFixed(request, size)
  const { staged } = fixed
  const talk = fitTalk(staged?.written(request.messages) ?? request.messages, size.room - fixed.tokens)
  const tokens = fixed.tokens + talk.tokens
  if (tokens > size.room) return { ok: false, tokens: Math.ceil(tokens * size.unit), window }
  const left = window - Math.ceil(tokens * size.unit)
  const fitted = { ...request, system: fixed.system, tools: fixed.tools, messages: talk.messages }
  return {
    ok: true,
    request: withLimit(fitted, left),
    shortened: [...fixed.shortened, ...talk.shortened],
    ...(staged && { callTool: staged.callTool }),
  }
}

/** An answer longer than what is left would be cut by the server, or refused. */
const withLimit = (request: ModelRequest, left: number): ModelRequest =>
  request.maxTokens !== undefined && request.maxTokens > left ? { ...request, maxTokens: left } : request

/** No tokenizer makes more tokens than there are bytes. Most requests are so small that nothing else need be counted. */
function mostTokens({ system, tools, messages }: ModelRequest): number {
  const texts = messages.flatMap((message) =>
    message.role === 'assistant'
      ? [message.text, ...message.calls.map(({ input }) => input)]
      : [message.text],
  )
  const images = messages.some((message) => message.role === 'user' && message.images?.length)
  const characters = system.length + sum(texts.map(({ length }) => length + AROUND_TEXT))
  const toolCharacters = tools.length === 0 ? 0 : JSON.stringify(tools).length
  return images ? Number.POSITIVE_INFINITY : (characters + toolCharacters) * BYTES_PER_CHARACTER
}

const AROUND_TEXT = 32
const BYTES_PER_CHARACTER = 3

/** Sizes in estimated tokens: the arm's own count learns as it goes, and a cut must not wander with it. */
type Size = {
  /** Tokens of the arm for one estimated token, in coarse steps. */
  readonly unit: number
  /** What the whole request may take. */
  readonly room: number
  /** What may stand before the conversation. */
  readonly fixed: number
}

/** Prose, code and marks in the mixture clients send. */
const SAMPLE =
  'You are an agent that edits source code. Call `read_file` with {"path": "src/main.ts", "limit": 200} before you ' +
  'change it.\n\nexport function area(width: number, height: number): number {\n  return width * height // in cm\n}\n'

const FIXED_SHARE = 0.6

function sizeOf(window: number, count: CountTokens): Size {
  const unit = Math.max(1, Math.ceil((count(SAMPLE) / estimateTokens(SAMPLE)) * 4) / 4)
  const room = Math.floor((window - budgetFor(window).reserve) / unit)
  return { unit, room, fixed: Math.floor(room * FIXED_SHARE) }
}

type Fixed = Pick<ModelRequest, 'system' | 'tools'> & {
  readonly tokens: number
  readonly shortened: readonly string[]
  readonly staged?: StagedTools
}

/**
 * Tools are shortened first, then shown in two stages, then the middle of the system text is left out. Blind to how the
 * conversation goes on, so it stays.
 */
function fitFixed(request: ModelRequest, { fixed }: Size): Fixed {
  const { system, tools } = request
  const fits = (candidate: ModelRequest['tools']) => fixedTokens(system, candidate, estimateTokens) <= fixed
  const short = shortenTools(tools, fits)
  const staged = stageIfNeeded(short.tools, request, fixed)
  const toolTokens = staged?.tokens ?? fixedTokens('', short.tools, estimateTokens)
  const cut = cutMiddle(system, Math.max(fixed - toolTokens, SHORTEST_SYSTEM), estimateTokens)
  const shortened = [
    ...short.shortened,
    ...(staged ? ['tools that are only listed'] : []),
    ...(cut === system ? [] : ['system text']),
  ]
  return {
    system: staged ? [cut, staged.listing].filter(Boolean).join('\n\n') : cut,
    tools: staged?.tools ?? short.tools,
    tokens: toolTokens + estimateTokens(cut),
    shortened,
    ...(staged && { staged }),
  }
}

/** The system text may have a quarter of what stands before the conversation, however many tools there are. */
const SYSTEM_SHARE = 0.25

function stageIfNeeded(
  tools: ModelRequest['tools'],
  request: ModelRequest,
  fixed: number,
): StagedTools | undefined {
  const limit = fixed - Math.min(estimateTokens(request.system), Math.floor(fixed * SYSTEM_SHARE))
  if (fixedTokens('', tools, estimateTokens) <= limit) return undefined
  const { toolChoice } = request
  const chosen = typeof toolChoice === 'object' ? toolChoice.name : undefined
  return stageTools(tools, { limit, wanted: wantedTools(request), chosen })
}

const SHORTEST_SYSTEM = 64

type Talk = {
  readonly messages: readonly Message[]
  readonly tokens: number
  readonly shortened: readonly string[]
}

const view = { count: estimateTokens }

function fitTalk(messages: readonly Message[], room: number): Talk {
  const tokens = messagesTokens(messages, view)
  if (tokens <= room) return { messages, tokens, shortened: [] }
  // Each text by itself, so that it is cut the same way as long as it is shown.
  const folded = messages.map((message) => foldMessage(message, Math.floor(room * TEXT_SHARE)))
  const digestLimit = Math.floor(room * DIGEST_SHARE)
  const { first, groups } = firstKept(folded, Math.floor(room * KEPT_SHARE))
  const dropped = groups.slice(0, first).flat()
  const kept = [...lastWords(dropped), ...digestOf(dropped, digestLimit), ...groups.slice(first).flat()]
  const fitting = messagesTokens(kept, view) <= room ? kept : truncateMessages(kept, room, view)
  return {
    messages: fitting,
    tokens: messagesTokens(fitting, view),
    shortened: [
      ...(folded.some((message, index) => message !== messages[index]) || fitting !== kept
        ? ['long texts']
        : []),
      ...(dropped.length > 0 ? [`${dropped.length} older messages`] : []),
    ],
  }
}

/** Of the room for the conversation: one text, the digest of what left, and what stays beside both. */
const TEXT_SHARE = 0.25
const DIGEST_SHARE = 0.1
const KEPT_SHARE = 0.6

function foldMessage(message: Message, limit: number): Message {
  const [short] = messageTokens(message, view) <= limit ? [message] : truncateMessages([message], limit, view)
  return short ?? message
}

/**
 * Leaving is counted from the beginning, in steps of half of what may stay: until the conversation has grown by a whole
 * step, the first group that stays is the same one. The last group always stays.
 */
function firstKept(messages: readonly Message[], room: number): { first: number; groups: readonly Group[] } {
  const groups = toGroups(messages)
  const sizes = groups.map((group) => messagesTokens(group, view))
  const step = Math.max(1, Math.floor(room / 2))
  const leaving = Math.ceil(Math.max(0, sum(sizes) - room) / step) * step
  let gone = 0
  const first = sizes.findIndex((size) => gone >= leaving || ((gone += size), false))
  return { first: first < 0 ? groups.length - 1 : Math.min(first, groups.length - 1), groups }
}

/** The newest words of the person among what leaves: they say what the calls that stay are for. */
function lastWords(dropped: readonly Message[]): readonly Message[] {
  const words = dropped.findLast((message) => message.role === 'user' && message.origin === undefined)
  return words ? [words] : []
}

const digestOf = (dropped: readonly Message[], limit: number): readonly Message[] =>
  dropped.length === 0 ? [] : [toDigest({ messages: dropped, limit, count: estimateTokens })]
