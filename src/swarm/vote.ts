/**
 * Which of several answers counts. Equal answers form a group; the first group that is far enough ahead wins at once,
 * otherwise the largest when all have answered. What cannot be undone needs the lead, and a tie is no election: there
 * is no coin toss. Another machine has one ballot, however often it answered. The order in which candidates came never
 * matters. Pure.
 */
import { canonicalJson } from '../lib/json.ts'
import type { ToolCall } from '../protocol/message.ts'
import type {
  Candidate,
  Discarded,
  Effect,
  VoteGroup,
  VoteOptions,
  VoteResult,
  VoteState,
} from '../protocol/vote.ts'
import { type Ballot, isBallot, onePerMachine, showCandidate, strongest, toBallot } from './ballot.ts'
import { medoidOf, shortAnswer } from './text-answer.ts'

export function vote(candidates: readonly Candidate[], options: VoteOptions): VoteResult {
  const judged = candidates.toSorted(byContent).map((candidate) => toBallot(candidate, options))
  const { counted: ballots, surplus } = onePerMachine(judged.filter(isBallot))
  const discarded = [...judged.filter((one): one is Discarded => !isBallot(one)), ...surplus]
  if (ballots.length === 0) return { state: noneYet(options), confidence: 0, votes: [], discarded }
  const asked = voicesOf(candidates) + (options.remaining ?? 0)
  const count = { asked, voted: ballots.length }
  const elected = readsTogether(ballots, options) ?? electGroup(ballots, options, count)
  return { ...elected, discarded }
}

/** How many could have a ballot: each other machine is one, however often it answered. */
const voicesOf = (candidates: readonly Candidate[]): number =>
  new Set(candidates.map(({ machine }, index) => machine ?? index)).size

/** By what they say, and who says it: the same set always looks the same. */
const byContent = (one: Candidate, other: Candidate): number =>
  textOf(one) < textOf(other) ? -1 : Number(textOf(one) > textOf(other))

const textOf = ({ worker, text, calls }: Candidate): string => `${worker}\n${canonicalJson({ text, calls })}`

const noneYet = ({ remaining = 0 }: VoteOptions): VoteState => (remaining > 0 ? 'open' : 'none')

type Outcome = Omit<VoteResult, 'discarded'>

type Group = {
  readonly ballots: readonly Ballot[]
  readonly effect: Effect
  readonly strict: number
  readonly size: number
  readonly speaker: Candidate
  /** How alike the members are; below 1 only where texts cannot be counted. */
  readonly likeness: number
}

type Count = { readonly asked: number; readonly voted: number }

function electGroup(ballots: readonly Ballot[], options: VoteOptions, count: Count): Outcome {
  const groups = groupsOf(ballots).toSorted(byRank)
  const [first, second] = groups
  if (!first) return { state: 'none', confidence: 0, votes: [] }
  const state = stateOf(first, second, { ...options, count })
  return {
    state,
    ...(state === 'elected' && { winner: first.speaker }),
    confidence: (first.ballots.length / count.voted) * first.likeness,
    votes: groups.map(toVotes),
  }
}

/** More votes; of equally many, more that needed no mending; of these, the smaller change. */
const byRank = (one: Group, other: Group): number =>
  other.ballots.length - one.ballots.length || other.strict - one.strict || one.size - other.size

function stateOf(
  first: Group,
  second: Group | undefined,
  options: VoteOptions & { readonly count: Count },
): VoteState {
  const { ahead = 2, aheadToDestroy = 3, quorum = 1, remaining = 0, count } = options
  const destroys = first.effect === 'destroy'
  const lead = first.ballots.length - (second?.ballots.length ?? 0)
  const hasQuorum = count.voted >= quorum
  if (hasQuorum && lead >= (destroys ? Math.min(aheadToDestroy, count.asked) : ahead)) return 'elected'
  if (remaining > 0) return 'open'
  const isAlone = second === undefined || byRank(first, second) < 0
  const least = Math.max(options.least ?? 0.4, first.effect === 'write' ? 0.5 : 0)
  const hasShare = first.ballots.length / count.voted >= least
  return hasQuorum && !destroys && isAlone && hasShare ? 'elected' : 'split'
}

function groupsOf(ballots: readonly Ballot[]): Group[] {
  const texts = ballots.filter(({ calls }) => calls.length === 0)
  const calling = ballots.filter(({ calls }) => calls.length > 0)
  return [...groupBy(calling, keyOfTurn).map(toGroup), ...textGroups(texts)]
}

/** A turn with a write is one thing, in its order; reads may come in any. */
function keyOfTurn({ calls, effect }: Ballot): string {
  const keys = calls.map(({ key }) => key)
  return (effect === 'read' ? keys.toSorted() : keys).join('\n')
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups.values()]
}

function toGroup(ballots: readonly Ballot[]): Group {
  const strict = ballots.filter(({ isStrict }) => isStrict)
  const speaker = (strict[0] ?? ballots[0]) as Ballot
  return {
    ballots,
    effect: speaker.effect,
    strict: strict.length,
    size: Math.min(...ballots.map(({ size }) => size)),
    speaker: speaker.candidate,
    likeness: 1,
  }
}

/** Counted where most come to a short answer; otherwise the one in the middle speaks for all. */
function textGroups(ballots: readonly Ballot[]): Group[] {
  const answers = ballots.map(({ candidate }) => shortAnswer(candidate.text))
  const counted = answers.filter((answer) => answer !== undefined).length
  if (counted * 2 > ballots.length) {
    const keys = new Map(ballots.map((ballot, index) => [ballot, answers[index] ?? `text ${index}`]))
    return groupBy(ballots, (ballot) => keys.get(ballot) ?? '').map(toGroup)
  }
  if (ballots.length === 0) return []
  const { index, likeness } = medoidOf(ballots.map(({ candidate }) => candidate.text))
  const middle = ballots[index] ?? ballots[0]
  return [{ ...toGroup(ballots), ...(middle && { speaker: middle.candidate }), likeness }]
}

const toVotes = ({ ballots, effect, speaker }: Group): VoteGroup => ({
  workers: ballots.map(({ candidate }) => candidate.worker),
  shows: showCandidate(speaker),
  effect,
})

/**
 * Several reads side by side are voted on one by one, as a multiset: what more than half asked for is done. Nothing
 * where a turn writes, where no worker asks for several, or where no call has that many; then whole turns compete.
 */
function readsTogether(ballots: readonly Ballot[], options: VoteOptions): Outcome | undefined {
  const isPlural = ballots.some(({ calls }) => calls.length > 1)
  if (!isPlural || strongest(ballots.map(({ effect }) => effect)) !== 'read') return undefined
  const { remaining = 0, quorum = 1 } = options
  const wishes = groupBy(ballots.flatMap(numbered), ({ key }) => key)
  const all = ballots.length + remaining
  const kept = wishes.filter((wish) => wish.length * 2 > ballots.length)
  if (kept.length === 0) return undefined
  const isSettled = wishes.every((wish) => wish.length * 2 > all || (wish.length + remaining) * 2 <= all)
  const isElected = (isSettled || remaining === 0) && ballots.length >= quorum
  const state = isElected ? 'elected' : remaining > 0 ? 'open' : 'split'
  return {
    state,
    ...(isElected && { winner: composed(kept) }),
    confidence: Math.min(...kept.map((wish) => wish.length)) / ballots.length,
    votes: wishes.toSorted((one, other) => other.length - one.length).map(toWishVotes),
  }
}

type Wish = { readonly key: string; readonly call: ToolCall; readonly ballot: Ballot }

/** The second request for the same differs from the first. */
function numbered(ballot: Ballot): Wish[] {
  const seen = new Map<string, number>()
  return ballot.calls.map(({ call, key }) => {
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    return { key: `${times} ${key}`, call, ballot }
  })
}

/**
 * As far as one worker asked for what is kept, its calls stay as they are; ids of others may repeat and are made
 * unique.
 */
function composed(kept: readonly (readonly Wish[])[]): Candidate {
  const members = kept.flat().map(({ ballot }) => ballot)
  const speaker = groupBy(members, ({ candidate }) => candidate.worker).toSorted(
    (one, other) => other.length - one.length,
  )[0]?.[0]?.candidate as Candidate
  const used = new Set<string>()
  const calls = kept.map((wish) => {
    const { call } = (wish.find(({ ballot }) => ballot.candidate === speaker) ?? wish[0]) as Wish
    const id = used.has(call.id) ? `${call.id}-${used.size + 1}` : call.id
    used.add(id)
    return { ...call, id }
  })
  return { worker: speaker.worker, text: speaker.text, calls }
}

const toWishVotes = (wish: readonly Wish[]): VoteGroup => ({
  workers: wish.map(({ ballot }) => ballot.candidate.worker),
  shows: showCandidate({ text: '', calls: wish.slice(0, 1).map(({ call }) => call) }),
  effect: 'read',
})
