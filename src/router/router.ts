/**
 * The model that picks the model. A run is classified once and given one arm; it keeps that arm until it fails, is
 * excluded, or the run's ladder asks for a better one, and goes back down after that. How a request gets its arm is in
 * `route.ts`, which arm that is in `choose.ts`.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Reserve, ReserveRequest } from '../protocol/arm.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { Evidence } from '../protocol/routing.ts'
import { evidenceOf } from './evidence.ts'
import { classifyByKeywords, isContinuation } from './keywords.ts'
import { hasOther, routeRequest, type RouteParts } from './route.ts'
import { remember, type RouteState, type RunRoute } from './run-route.ts'
import type { Classify } from './classify.ts'

export type RouterParts = RouteParts & {
  readonly classify: Classify
  /** Between 0 and 1; drawn once per run. */
  random(): number
  sleep?(ms: number, signal: AbortSignal): Promise<void>
}

export type Router = {
  readonly reserve: Reserve
  /** Whether another arm could be asked instead of this one: then its failures need not be waited out. */
  hasOther(arm: string): boolean
  /** What became of a run, also when it is found out later; the strongest evidence counts, once. */
  report(runId: string, evidence: Evidence): void
  /** The run is over: what its end says is counted. */
  runEnded(end: Pick<RunEnd, 'runId' | 'reason'>): void
}

/** An arm that has no room for a moment is waited for: changing over would cost more. The only one always is. */
const ROOM_POLL_MS = 100
const MAX_WAIT_FOR_ROOM_MS = 2_000

export function createRouter(parts: RouterParts): Router {
  const state: RouteState = {
    runs: new Map(),
    sessions: new Map(),
    asides: new Map(Object.entries(parts.record.asides())),
  }
  const { sleep = (ms, signal) => wait(ms, undefined, { signal }) } = parts
  return {
    async reserve(request, signal) {
      const run = await enter(parts, state, { request, signal })
      for (let waited = 0; ; waited += ROOM_POLL_MS) {
        const patient = waited < MAX_WAIT_FOR_ROOM_MS
        const lease = routeRequest(parts, state, { run, request, patient })
        if (lease) return lease
        await sleep(ROOM_POLL_MS, signal)
      }
    },
    hasOther: (arm) => hasOther(parts, state, arm),
    report: (runId, evidence) => parts.record.noteEvidence(runId, evidence),
    runEnded({ runId, reason }) {
      state.runs.delete(runId)
      const evidence = evidenceOf(reason)
      if (evidence) parts.record.noteEvidence(runId, evidence)
    },
  }
}

type Entry = { readonly request: ReserveRequest; readonly signal: AbortSignal }

/** The run this request belongs to; a new one is classified, unless it only goes on with its session. */
async function enter(parts: RouterParts, state: RouteState, { request, signal }: Entry): Promise<RunRoute> {
  const { runId, sessionId, task } = request
  if (runId === undefined)
    return toRun(parts, request, { classification: classifyByKeywords(task), background: true })
  const known = state.runs.get(runId)
  if (known) return known
  const session = sessionId === undefined ? undefined : state.sessions.get(sessionId)
  const inherited = session && isContinuation(task) ? session.classification : undefined
  const classification = inherited ?? request.classification ?? (await parts.classify(task, signal))
  // Another request of the same run may have come first while this one was being classified.
  const meanwhile = state.runs.get(runId)
  if (meanwhile) return meanwhile
  if (!inherited) parts.record.noteClassifier(classification.source)
  const run = toRun(parts, request, { classification, continued: inherited !== undefined })
  remember(state.runs, runId, run)
  return run
}

type Begin = Pick<RunRoute, 'classification'> & Partial<Pick<RunRoute, 'continued' | 'background'>>

const toRun = (
  { random }: RouterParts,
  { runId = randomUUID(), sessionId }: ReserveRequest,
  { classification, background = false, continued = background }: Begin,
): RunRoute => ({
  runId,
  classification,
  continued,
  background,
  draw: random(),
  why: '',
  failures: [],
  ...(sessionId !== undefined && { sessionId }),
})
