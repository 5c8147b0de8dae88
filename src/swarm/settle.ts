/**
 * What comes of a vote. The elected answer is returned; without one a stronger model decides if there is any, then the
 * person where it cannot be undone, and only then the answer that leads. Who decided is always said.
 */
import type { ModelEvent, ModelRequest, Usage } from '../protocol/model.ts'
import type { Candidate, Decider, MissingVote, VoteReport } from '../protocol/vote.ts'
import { clip } from '../lib/text.ts'
import { isBallot, toBallot } from './ballot.ts'
import { gather } from './gather.ts'
import { noRound, type Round, type VoteParts, withArrival } from './hold-vote.ts'
import type { Answered, Worker } from './worker.ts'

export type Settling = {
  readonly request: ModelRequest
  /** The round that decides. */
  readonly round: Round
  readonly rounds: number
  /** Everybody who answered, in whatever round. */
  readonly answered: readonly Answered[]
  readonly arbiter?: Worker
}

export async function* settle(
  settling: Settling,
  parts: VoteParts,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { result } = settling.round
  if (result.winner) return yield* conclude(settling, 'vote', result.winner)
  const { judged, missing } = await askArbiter(settling, parts, signal)
  if (signal.aborted) return
  if (judged) {
    const answered = [...settling.answered, judged]
    return yield* conclude({ ...settling, answered }, 'arbiter', judged)
  }
  const round = { ...settling.round, missing: [...settling.round.missing, ...missing] }
  const alone = { ...settling, round }
  if (result.votes[0]?.effect === 'destroy') return yield* conclude(alone, 'person', undefined)
  yield* conclude(alone, 'first', leading(round))
}

/** The request once more, with what was proposed behind it. */
export function withAlternatives(request: ModelRequest, round: Round): ModelRequest {
  const text = `[note] Several answers were proposed:\n${alternativesOf(round)}\nGive the one that is right, or a better one.`
  return { ...request, messages: [...request.messages, { role: 'user', text, origin: 'note' }] }
}

const alternativesOf = ({ result, answered }: Round): string =>
  result.votes
    .map(({ workers, shows }, index) => {
      const speaker = answered.find(({ worker }) => workers.includes(worker))
      return `${index + 1}. ${speaker ? inFull(speaker) : shows}`
    })
    .join('\n')

/** The user must see what differs to choose. */
const inFull = ({ text, calls }: Answered): string =>
  calls.length === 0
    ? clip(text.trim(), LONGEST)
    : calls.map(({ name, input }) => clip(`${name} ${input}`, LONGEST)).join('\n   ')

const LONGEST = 800

type Judgement = { readonly judged?: Answered; readonly missing: readonly MissingVote[] }

/** Its answer is looked at like everybody's: what would fail decides nothing. */
async function askArbiter(
  { arbiter, request, round }: Settling,
  parts: VoteParts,
  signal: AbortSignal,
): Promise<Judgement> {
  if (!arbiter) return { missing: [] }
  const asks = [{ name: arbiter.name, worker: arbiter, request: withAlternatives(request, round) }]
  let heard = noRound
  for await (const arrival of gather(asks, parts.deadlineMs, signal)) {
    heard = await withArrival(heard, arrival, { ...parts, signal })
  }
  const [judged] = heard.answered
  if (!judged) return { missing: heard.missing }
  const ballot = toBallot(judged, parts.options)
  return isBallot(ballot)
    ? { judged, missing: [] }
    : { missing: [{ worker: judged.worker, why: ballot.why }] }
}

/**
 * Of the largest groups the one that the first answer is in; without any valid vote, the first answer. This machine's
 * own come first: being quick does not win a tie for another machine.
 */
function leading({ result, answered: all }: Round): Answered | undefined {
  const isOwn = ({ machine }: Answered) => machine === undefined
  const answered = [...all.filter(isOwn), ...all.filter((one) => !isOwn(one))]
  const [first] = answered
  const most = result.votes[0]?.workers.length ?? 0
  const largest = result.votes.filter(({ workers }) => workers.length === most)
  const group = largest.find(({ workers }) => first && workers.includes(first.worker)) ?? largest[0]
  return answered.find(({ worker }) => group?.workers.includes(worker)) ?? first
}

function* conclude(
  settling: Settling,
  decider: Decider,
  reply: Candidate | undefined,
): Generator<ModelEvent> {
  yield { type: 'vote', stage: 'end', report: toReport(settling, decider, reply) }
  const { answered, round } = settling
  const whole = answered.find((one) => one === reply)
  if (whole) return yield* tell(whole, answered)
  if (reply) {
    yield* contentOf(reply)
    return yield* tellEnd(answered, { type: 'finish', reason: 'tool-calls' })
  }
  const text = `The workers do not agree on a step that cannot be undone:\n${alternativesOf(round)}\nSay which one you mean.`
  yield { type: 'text-delta', text }
  yield* tellEnd(answered, { type: 'finish', reason: 'stop' })
}

/** An answer as its worker gave it; what it took is what all took together. */
export function* tell(reply: Answered, answered: readonly Answered[]): Generator<ModelEvent> {
  yield* reply.events
  yield* tellEnd(answered, reply.finish)
}

function* contentOf({ text, calls }: Candidate): Generator<ModelEvent> {
  if (text !== '') yield { type: 'text-delta', text }
  for (const call of calls) yield { type: 'tool-call', call }
}

function* tellEnd(answered: readonly Answered[], finish: Answered['finish']): Generator<ModelEvent> {
  const usages = answered.flatMap(({ usage }) => (usage ? [usage] : []))
  const [first, ...others] = usages
  if (first) yield { type: 'usage', usage: others.reduce(addUsage, first) }
  yield finish
}

function addUsage(one: Usage, other: Usage): Usage {
  const cached = (one.cached ?? 0) + (other.cached ?? 0)
  const reasoning = (one.reasoning ?? 0) + (other.reasoning ?? 0)
  return {
    prompt: one.prompt + other.prompt,
    completion: one.completion + other.completion,
    ...(cached > 0 && { cached }),
    ...(reasoning > 0 && { reasoning }),
  }
}

function toReport(
  { round, rounds, answered }: Settling,
  decider: Decider,
  reply: Candidate | undefined,
): VoteReport {
  const { winner: _, ...result } = round.result
  return {
    ...result,
    ...(reply && { winner: reply.worker }),
    decider,
    missing: round.missing,
    rounds,
    usage: usageByWorker(answered),
  }
}

function usageByWorker(answered: readonly Answered[]): VoteReport['usage'] {
  const usage: Record<string, { prompt: number; completion: number }> = {}
  for (const { worker, usage: used } of answered) {
    const { prompt = 0, completion = 0 } = usage[worker] ?? {}
    usage[worker] = {
      prompt: prompt + (used?.prompt ?? 0),
      completion: completion + (used?.completion ?? 0),
    }
  }
  return usage
}
