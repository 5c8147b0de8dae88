/**
 * A Model that asks several and votes. Usually one worker answers alone; when that is not enough, others are asked and
 * the vote decides. An answer is passed on only once it is known to be the one that counts, so nothing is ever
 * retracted.
 */
import { AppError } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import type { VotingTool } from '../protocol/vote.ts'
import type { DryRun } from './dry-run.ts'
import { whyMore } from './escalate.ts'
import { gather, isAboutRequest } from './gather.ts'
import { holdVote, noRound, type Round, type Understand, type VoteParts, withArrival } from './hold-vote.ts'
import { type Settling, settle, tell, withAlternatives } from './settle.ts'
import { joinTools } from './voting-tools.ts'
import { type Ask, toAsks, type Worker } from './worker.ts'
import { defined } from '../lib/object.ts'

export type SwarmPolicy = {
  /** `auto`: others are asked only when the first answer is not enough. */
  readonly when: 'auto' | 'always' | 'off'
  /** Candidates in all; beyond the workers, those of this machine are asked again. */
  readonly most: number
  readonly ahead: number
  readonly aheadToDestroy: number
  readonly least: number
  readonly quorum: number
  /** How long the first, and then all others together, may take. */
  readonly deadlineMs: number
  /** How often everybody is asked: the second time with the alternatives shown. */
  readonly rounds: 1 | 2
  readonly from: 'write' | 'destroy'
  readonly sure: number
}

export const usualPolicy: SwarmPolicy = {
  when: 'auto',
  most: 5,
  ahead: 2,
  aheadToDestroy: 3,
  least: 0.4,
  quorum: 2,
  deadlineMs: 120_000,
  rounds: 2,
  from: 'write',
  sure: 0.6,
}

export type SwarmOptions = {
  readonly name: string
  /** The first one answers alone where that does. */
  readonly workers: readonly Worker[]
  readonly policy?: Partial<SwarmPolicy>
  /** Our own tools; of others only the schema in the request is known. */
  readonly tools?: () => readonly VotingTool[]
  readonly understand?: Understand
  readonly dryRun?: DryRun
  /** A stronger model: it decides where the workers cannot. */
  readonly arbiter?: Worker
  readonly root?: string
}

export function createSwarmModel(options: SwarmOptions): Model {
  const policy = { ...usualPolicy, ...options.policy }
  const [first] = options.workers
  if (!first) throw new AppError('config-invalid', `${options.name} has no workers; give it at least one.`)
  return {
    name: options.name,
    stream: (request, signal) =>
      isTalk(request, policy)
        ? first.model.stream(request, signal)
        : answer({ ...options, policy, request }, signal),
  }
}

/** Where nothing can be called there is nothing to check, and a person waits for the first word. */
const isTalk = ({ tools, toolChoice }: ModelRequest, { when }: SwarmPolicy): boolean =>
  when === 'off' || (when === 'auto' && (tools.length === 0 || toolChoice === 'none'))

type Asking = SwarmOptions & { readonly policy: SwarmPolicy; readonly request: ModelRequest }

async function* answer(asking: Asking, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const { policy, workers, request } = asking
  const asks = toAsks(workers, request, Math.max(1, policy.most))
  const first = await askFirst(asks.slice(0, 1), asking, signal)
  if (signal.aborted) return
  const [alone] = first.round.answered
  if (alone && (first.why === undefined || asks.length === 1)) return yield* tell(alone, [alone])

  yield { type: 'vote', stage: 'start', why: first.why ?? '', workers: asks.map(({ name }) => name) }
  const parts = voteParts(asking, asks.length)
  const round = yield* holdVote({ asks: asks.slice(first.asked), before: first.round }, parts, signal)
  if (signal.aborted) return
  if (round.answered.length === 0) throw failureOf(round, asking)
  const settling = yield* askAgain({ asking, round, count: asks.length }, parts, signal)
  if (!signal.aborted) yield* settle(settling, parts, signal)
}

type Decided = { readonly asking: Asking; readonly round: Round; readonly count: number }

/** Those who do not agree are asked once more, and shown what the others said. */
async function* askAgain(
  { asking, round, count }: Decided,
  parts: VoteParts,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Settling> {
  const { request, policy, workers, arbiter } = asking
  const settling = { request, round, rounds: 1, answered: round.answered, ...defined({ arbiter }) }
  const { state, votes } = round.result
  if (state !== 'split' || votes.length < 2 || policy.rounds === 1) return settling
  // Another machine that did not answer has cost its vote, and does not cost the same wait again.
  const elsewhere = new Set(workers.flatMap(({ name, machine }) => (machine === undefined ? [] : [name])))
  const silent = round.missing.filter(({ worker }) => elsewhere.has(worker))
  const heard = workers.filter(({ name }) => !silent.some(({ worker }) => worker === name))
  const asks = toAsks(heard, withAlternatives(request, round), count - silent.length)
  const second = yield* holdVote({ asks, before: { ...noRound, missing: silent } }, parts, signal)
  return {
    ...settling,
    round: second.result.state === 'elected' ? second : round,
    rounds: 2,
    answered: [...round.answered, ...second.answered],
  }
}

type First = { readonly round: Round; readonly why?: string; readonly asked: number }

/**
 * When all workers are asked anyway, there is no first one. A slow worker is only given up for one on another machine.
 */
async function askFirst(asks: readonly Ask[], asking: Asking, signal: AbortSignal): Promise<First> {
  const { policy, workers } = asking
  const isOnlyEngine = workers.every(({ lane }) => lane !== undefined && lane === workers[0]?.lane)
  const deadlineMs = isOnlyEngine ? Infinity : policy.deadlineMs
  if (policy.when === 'always') return { round: noRound, why: 'asked for', asked: 0 }
  let round = noRound
  const first = asks.map((ask) => ({ ...ask, howSure: true }))
  for await (const arrival of gather(first, deadlineMs, signal)) {
    round = await withArrival(round, arrival, { ...asking, signal })
  }
  const error = round.errors.find(isAboutRequest)
  if (error) throw error
  const [answered] = round.answered
  const [missing] = round.missing
  const why = answered
    ? whyMore(answered, voteParts(asking, 1).options, policy)
    : `${missing?.worker ?? 'the first'}: ${missing?.why ?? 'no answer'}`
  return { round, asked: 1, ...defined({ why }) }
}

function voteParts(asking: Asking, asked: number): VoteParts {
  const { policy, tools, request, root, understand, dryRun } = asking
  const { ahead, aheadToDestroy, least, deadlineMs } = policy
  const options = {
    tools: joinTools(tools?.() ?? [], request.tools),
    ahead,
    aheadToDestroy,
    least,
    quorum: Math.min(policy.quorum, asked),
    mustCall: request.toolChoice === 'required' || typeof request.toolChoice === 'object',
    ...defined({ root }),
  }
  return { options, deadlineMs, ...defined({ understand, dryRun }) }
}

/** What the first worker failed with tells the engine most. */
function failureOf({ errors, missing }: Round, { name }: Asking): AppError {
  const error = errors.find((one) => one instanceof AppError)
  if (error) return error
  const who = missing.map(({ worker, why }) => `${worker}: ${why}`).join('; ')
  return new AppError(
    'model-unavailable',
    `${name}: no worker answered (${who}). Try again, or pass another model with --model.`,
  )
}
