/**
 * One request finds its arm: the one its run holds, or a new choice where that is gone, and a reservation in its pool.
 * Nothing is awaited in here, so what a choice has seen is still true when it is acted on.
 */
import type { Lease, ReserveRequest } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { Usage } from '../protocol/model.ts'
import type {
  ArmView,
  ChoiceInput,
  ChoiceTask,
  DecisionRecord,
  RoutingDecision,
  TaskType,
  Tier,
} from '../protocol/routing.ts'
import { choose } from './choose.ts'
import type { Pools, Reservation } from './pools.ts'
import type { RouterRecord } from './record.ts'
import { routedLease } from './routed-lease.ts'
import { remember, type RouteState, type RunRoute } from './run-route.ts'
import { asideAfter, isAside, isSlowDown } from './set-aside.ts'
import { dollarsFor, expectedAmounts, isLowStakes, poolOf, type RouterArm, toViews } from './snapshot.ts'

type RouterOptions = {
  readonly pinned?: string
  /** Whether requests may leave the machine. */
  readonly cloud: boolean
  readonly incognito: boolean
  readonly airGap: boolean
  readonly tiers: readonly Tier[]
  readonly minimumQuality: Readonly<Record<TaskType, number>>
  /** The share of low-stakes runs that may try the next best arm. */
  readonly exploration: number
}

export type RouteParts = {
  arms(): readonly RouterArm[]
  readonly record: RouterRecord
  readonly pools: Pools
  readonly options: RouterOptions
  now(): number
  /** Called for every choice, with all its inputs. */
  onDecision(decision: DecisionRecord): void
}

export type Attempt = {
  readonly run: RunRoute
  readonly request: ReserveRequest
  /** There is still time to wait for room. */
  readonly patient: boolean
}

/** A lease, or nothing where it is worth waiting a moment for room. Throws when no arm is left. */
export function routeRequest(parts: RouteParts, state: RouteState, attempt: Attempt): Lease | undefined {
  const { run } = attempt
  const arms = parts.arms()
  const input = toInput(parts, state, { ...attempt, arms })
  const held = input.arms.find(({ id }) => id === run.arm)
  const hasRoomSoon = ({ id }: ArmView) => isBriefly(parts, requireArm(arms, id), input.task)
  if (held && attempt.patient && hasRoomSoon(held)) return undefined

  const cause = causeOf(attempt, held, input)
  if (cause !== undefined) {
    const asked = cause === 'escalation' ? escalating(input, run) : input
    const decision = choose(asked)
    const isLast = isLastResort(decision, input) && cause !== 'escalation'
    if (isLast && input.arms.some((arm) => !arm.lastResort && hasRoomSoon(arm))) return undefined
    keep(parts, run, { cause, input: asked, decision })
    if (decision.arm === undefined && cause !== 'escalation') throw nobodyLeft(run, decision)
  }
  return leaseOf(parts, state, { ...attempt, entry: requireArm(arms, run.arm), task: input.task })
}

/** No arm, or the only one left: then a short wait for room is better. */
const isLastResort = ({ arm }: RoutingDecision, { arms }: ChoiceInput): boolean =>
  arm === undefined || arms.some(({ id, lastResort, proven }) => id === arm && lastResort && !proven)

/** Whether another arm could be asked instead of this one right now. */
export function hasOther(
  { arms, pools, options, now }: RouteParts,
  { asides }: RouteState,
  id: string,
): boolean {
  if (options.pinned !== undefined) return false
  return arms().some((entry) => {
    const { arm, gone, lastResort } = entry
    if (arm.id === id || gone !== undefined || lastResort || isAside(asides.get(arm.id), now())) return false
    return isAllowed(entry, options) && !pools.state(poolOf(entry), expectedAmounts(entry, 0)).exhausted
  })
}

/** Whether what the person set lets this arm be asked without naming it. */
export function isAllowed(
  { arm, tier, enabled = true }: RouterArm,
  { tiers, cloud, airGap, incognito }: Pick<RouterOptions, 'tiers' | 'cloud' | 'airGap' | 'incognito'>,
): boolean {
  const mayLeave = tier !== 'cloud' || (cloud && !airGap)
  return enabled && tiers.includes(tier) && mayLeave && (!incognito || arm.profile().local)
}

type Asked = Attempt & { readonly arms: readonly RouterArm[] }

function toInput(parts: RouteParts, state: RouteState, { run, request, arms }: Asked): ChoiceInput {
  const { pinned, minimumQuality, ...options } = parts.options
  const { type, complexity, needsTools } = run.classification
  const session = run.background ? state.last : state.sessions.get(run.sessionId ?? '')
  const task: ChoiceTask = {
    type,
    complexity,
    needsTools,
    tokens: request.tokens ?? session?.tokens ?? 0,
    vision: request.vision ?? false,
    lowStakes: isLowStakes(run.classification, request.readOnly ?? false),
  }
  const { pools, record } = parts
  const shown = {
    arms: request.stays ? ownArms(parts, state, { request, arms }) : arms,
    learned: record.learned(),
    pools,
    asides: state.asides,
    prompt: request.task,
  }
  return {
    task,
    arms: toViews(shown, task),
    options: {
      ...options,
      now: parts.now(),
      excluded: request.excluded,
      minimumQuality: minimumQuality[type],
      draw: run.draw,
      continued: run.continued,
      ...(pinned !== undefined && { pinned }),
      ...(session && { current: { arm: session.arm, tokens: session.tokens } }),
    },
  }
}

/** Those that are not on other machines, as long as one of them can be asked. */
function ownArms(
  { options, now }: RouteParts,
  { asides }: RouteState,
  { request, arms }: Pick<Asked, 'request' | 'arms'>,
): readonly RouterArm[] {
  const own = arms.filter(({ tier }) => tier !== 'peer')
  const isUsable = (entry: RouterArm): boolean =>
    entry.gone === undefined &&
    !entry.lastResort &&
    isAllowed(entry, options) &&
    !request.excluded.includes(entry.arm.id) &&
    !isAside(asides.get(entry.arm.id), now())
  return own.some(isUsable) ? own : arms
}

const escalating = (input: ChoiceInput, { arm }: RunRoute): ChoiceInput =>
  arm === undefined ? input : { ...input, options: { ...input.options, escalateFrom: arm } }

const isBriefly = ({ pools }: RouteParts, entry: RouterArm, { tokens }: ChoiceTask): boolean =>
  pools.state(poolOf(entry), expectedAmounts(entry, tokens)).exhausted?.brief ?? false

/** Why there is something to choose; nothing where the run keeps the arm it has. */
function causeOf(
  { run, request }: Attempt,
  held: ArmView | undefined,
  { options }: ChoiceInput,
): DecisionRecord['cause'] | undefined {
  if (run.arm === undefined) return 'start'
  if (!held || request.excluded.includes(held.id)) return 'failure'
  if (options.pinned !== undefined) return undefined
  if (isAside(held.aside, options.now) || held.gone !== undefined || held.exhausted !== undefined)
    return 'failure'
  if (request.escalated !== undefined && !run.climbed) return 'escalation'
  return request.escalated === undefined && run.climbed ? 'return' : undefined
}

type Kept = Pick<DecisionRecord, 'cause' | 'input' | 'decision'>

/** The run has its arm now; an escalation that found no better arm changes nothing. */
function keep(parts: RouteParts, run: RunRoute, kept: Kept): void {
  if (!run.background) note(parts, run, kept)
  if (kept.cause === 'escalation') run.climbed = true
  if (kept.cause === 'return') run.climbed = false
  const { arm, why } = kept.decision
  if (arm === undefined) return
  const { type, source } = run.classification
  run.arm = arm
  run.why = `task: ${type}, by: ${source}; ${why}`
}

function note({ record, now, onDecision }: RouteParts, run: RunRoute, kept: Kept): void {
  const { runId, sessionId, classification } = run
  const { type, complexity } = classification
  const { arm } = kept.decision
  onDecision({ at: now(), runId, ...(sessionId !== undefined && { sessionId }), classification, ...kept })
  if (arm === undefined) return
  if (kept.cause === 'escalation') record.noteEvidence(runId, 'escalated')
  // An arm that gets the run back is not credited with what the better arm fixed.
  if (kept.cause !== 'return' && arm !== run.arm) record.noteRun({ runId, arm, type, complexity })
}

function nobodyLeft({ failures }: RunRoute, { ruledOut }: RoutingDecision): AppError {
  const [first] = failures
  if (first) {
    const tried = [...new Set(failures.map(({ arm }) => arm))].join(', ')
    const { code, message, details } = first.error
    return new AppError(code, `${message} Tried: ${tried}; no other arm is left.`, {
      ...details,
      cause: first.error,
    })
  }
  if (ruledOut.length === 0) {
    return new AppError(
      'model-unavailable',
      'No model was found; start a local server or add [arms.NAME] to config.toml.',
    )
  }
  const why = ruledOut.map((out) => `${out.arm}: ${out.why}`).join('; ')
  return new AppError('model-unavailable', `No arm can take this request (${why}).`)
}

function requireArm(arms: readonly RouterArm[], id: string | undefined): RouterArm {
  const entry = arms.find(({ arm }) => arm.id === id)
  if (!entry) throw new AppError('model-unavailable', `The arm ${id} is no longer there; ask again.`)
  return entry
}

type Leasing = Attempt & { readonly entry: RouterArm; readonly task: ChoiceTask }

function leaseOf(parts: RouteParts, state: RouteState, { run, entry, task }: Leasing): Lease | undefined {
  const { id } = entry.arm
  const lease = entry.arm.lease(run.why)
  const expected = expectedAmounts(entry, task.tokens)
  const reservation = parts.pools.reserve(poolOf(entry), expected)
  if (!reservation) {
    const { exhausted } = parts.pools.state(poolOf(entry), expected)
    if (exhausted?.brief) return undefined
    throw new AppError('rate-limited', `${id}: ${exhausted?.why}; wait, or choose another arm.`)
  }
  return routedLease(lease, {
    why: run.why,
    now: parts.now,
    timed: (timing) => parts.record.noteTiming(id, timing),
    committed(usage) {
      settleUsage(reservation, entry, usage)
      if (state.asides.delete(id)) parts.record.noteAside(id, undefined)
      run.failures = []
      if (run.background) return
      const tokens = usage ? usage.prompt + usage.completion : task.tokens
      state.last = { arm: id, tokens, classification: run.classification }
      if (run.sessionId !== undefined) remember(state.sessions, run.sessionId, state.last)
    },
    released(error) {
      reservation.release()
      if (error instanceof AppError) run.failures.push({ arm: id, error })
      const aside = asideAfter(error, state.asides.get(id), parts.now())
      if (!aside) return
      state.asides.set(id, aside)
      // A key or a server may be fixed before the next start; a limit of requests outlives this process.
      if (isSlowDown(error)) parts.record.noteAside(id, aside)
    },
  })
}

/** What a request really took, as far as its server says so. */
export function settleUsage(reservation: Reservation, entry: RouterArm, usage: Usage | undefined): void {
  if (!usage) return reservation.commit()
  const amounts = { input: usage.prompt, output: usage.completion }
  reservation.commit({ requests: 1, ...amounts, dollars: dollarsFor(entry, amounts) })
}
