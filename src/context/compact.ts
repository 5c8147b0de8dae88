/**
 * A conversation that fills its window is made smaller in one large step, because each step costs the server's cached
 * prefix once. Kept are the person's newest words, the last complete group and what else fits; the rest goes through the
 * stages, each only if the one before left too much. Pure.
 */
import type { CompactionStage } from '../protocol/event.ts'
import type { Message, UserMessage } from '../protocol/message.ts'
import type { Budget } from './budget.ts'
import { type CountTokens, IMAGE_TOKENS, type MessageView, messagesTokens } from './count.ts'
import { toDigest } from './digest.ts'
import { type Group, toGroups } from './history.ts'
import { shrinkResults } from './shrink.ts'
import { isStub } from './stub.ts'
import { truncateMessages } from './truncate.ts'

export type CompactInput = MessageView & {
  readonly messages: readonly Message[]
  readonly budget: Budget
  /** Tokens of the system text and the tools, which stay whatever happens. */
  readonly fixed: number
  /** The server refused what we thought would fit, so our numbers are too low: half must go. */
  readonly overflow?: boolean
}

export type Compaction = {
  readonly stage: CompactionStage
  readonly messages: readonly Message[]
  /** Tokens of the whole request, system text and tools included. */
  readonly before: number
  readonly after: number
  /** Whether it ended where a compaction should. */
  readonly fits: boolean
}

export function compact(input: CompactInput): Compaction {
  const { budget, fixed } = input
  const before = fixed + messagesTokens(input.messages, input)
  const goal = goalOf(input, before)
  const end = (stage: CompactionStage, messages: readonly Message[]): Compaction => {
    const after = fixed + messagesTokens(messages, input)
    return { stage, messages, before, after, fits: after <= goal.target }
  }

  const groups = toGroups(input.messages)
  const shrunk = end('shrink', shrinkResults(groups, goal.target - fixed, input))
  // A shrink that leaves no room for the next page would be followed by another compaction at once, and where results
  // were removed before, what is left of them takes more room than a digest of it.
  const isEnough = shrunk.after <= Math.min(goal.target, budget.trigger - budget.page)
  if (isEnough && !input.messages.some((message) => message.role === 'tool' && isStub(message.text)))
    return shrunk

  const { parted, digest } = digestOlder(groups, goal.keep - fixed, input)
  const digested = end('digest', replaceDropped(parted, digest))
  // Where little was dropped, its digest may be the longer of the two.
  const smaller = digested.after < shrunk.after ? digested : shrunk
  if (smaller.fits) return smaller

  return end('truncate', truncateMessages(smaller.messages, goal.target - fixed, input))
}

type Goal = { readonly target: number; readonly keep: number }

/**
 * Where instructions, tools and the images of the newest prompt take most of the target, the words still get a third of
 * what is left beside them: a goal that nothing can reach would cut every text to a few words and gain nothing by it.
 */
function goalOf(input: CompactInput, before: number): Goal {
  const { budget, fixed, overflow } = input
  const { window, reserve, keep } = budget
  const stays = fixed + imageTokens(input.messages)
  const target = Math.max(budget.target, stays + Math.floor((window - reserve - stays) / 3))
  if (!overflow) return { target, keep }
  const half = stays + Math.floor((before - stays) / 2)
  return { target: Math.min(target, half), keep: Math.min(keep, half) }
}

function imageTokens(messages: readonly Message[]): number {
  const prompt = messages.findLast((message) => message.role === 'user' && message.origin === undefined)
  return prompt?.role === 'user' ? (prompt.images?.length ?? 0) * IMAGE_TOKENS : 0
}

/** The last reply with its results stays and all after it, older groups while there is room for them. */
function firstKept(groups: readonly Group[], room: number, view: MessageView): number {
  const prompt = promptIndex(groups)
  const lastReply = groups.findLastIndex(([head]) => head?.role === 'assistant')
  let total = messagesTokens(groups[prompt] ?? [], view)
  for (let index = groups.length - 1; index >= 0; index--) {
    if (index !== prompt) total += messagesTokens(groups[index] ?? [], view)
    const isFree = index < lastReply || lastReply < 0
    if (isFree && index !== prompt && total > room) return index + 1
  }
  return 0
}

/** The newest words of the person; they stay wherever they stand. */
const promptIndex = (groups: readonly Group[]): number =>
  groups.findLastIndex(([head]) => head?.role === 'user' && head.origin === undefined)

type Parted = {
  readonly dropped: readonly Message[]
  /** The newest words of the person where they are older than everything else that stays. */
  readonly prompt: readonly Message[]
  readonly kept: readonly Message[]
}

function part(groups: readonly Group[], first: number): Parted {
  const prompt = promptIndex(groups)
  // A digest that could stay is taken up all the same: two of them would tell things twice.
  const isDropped = (group: Group, index: number) => index !== prompt && (index < first || isDigest(group))
  return {
    dropped: groups.filter(isDropped).flat(),
    prompt: prompt < first ? (groups[prompt] ?? []) : [],
    kept: groups.filter((group, index) => index >= first && !isDropped(group, index)).flat(),
  }
}

const isDigest = ([head]: Group): boolean => head?.role === 'user' && head.origin === 'digest'

/** Words come before the digest of what was done about them: the longest prefix that can stay the same does. */
const replaceDropped = ({ prompt, kept }: Parted, digest: UserMessage | undefined): Message[] => [
  ...prompt,
  ...(digest ? [digest] : []),
  ...kept,
]

type Digested = { readonly parted: Parted; readonly digest: UserMessage | undefined }

/** How long the digest is shows only once it is written; what it leaves of its room goes to older groups. */
function digestOlder(groups: readonly Group[], room: number, input: CompactInput): Digested {
  const limit = input.budget.digest
  const least = part(groups, firstKept(groups, room - limit, input))
  const used = messagesTokens(digestOf(least, limit, input.count), input)
  const parted = part(groups, firstKept(groups, room - used, input))
  return { parted, digest: digestOf(parted, limit, input.count)[0] }
}

const digestOf = ({ dropped, kept }: Parted, limit: number, count: CountTokens): UserMessage[] =>
  dropped.length === 0 ? [] : [toDigest({ messages: dropped, kept, limit, count })]
