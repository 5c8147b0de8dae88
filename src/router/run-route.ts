/** What the router remembers of runs and sessions while the process lives; bounded, the oldest are forgotten. */
import type { Classification } from '../protocol/classification.ts'
import type { AppError } from '../protocol/error.ts'
import type { Aside } from './set-aside.ts'

export type RunRoute = {
  readonly runId: string
  readonly sessionId?: string
  readonly classification: Classification
  /** It goes on with what the session was about. */
  readonly continued: boolean
  /** A request of the program itself: it goes to the arm that answered last, and nothing is learnt from it. */
  readonly background: boolean
  /** Drawn once, so that a run tries an arm out or does not, whatever happens to it. */
  readonly draw: number
  /** The arm it keeps, once it has one, and how that was chosen. */
  arm?: string
  why: string
  /** It stands on the rung "next arm". */
  climbed?: boolean
  /** What arms failed with since one last answered. */
  failures: { readonly arm: string; readonly error: AppError }[]
}

/** The arm that holds the session's prefix, how long that is, and what the session is about. */
type SessionRoute = {
  readonly arm: string
  readonly tokens: number
  readonly classification: Classification
}

export type RouteState = {
  readonly runs: Map<string, RunRoute>
  readonly sessions: Map<string, SessionRoute>
  readonly asides: Map<string, Aside>
  /** Who answered last, in any session. */
  last?: SessionRoute
}

const MAX_REMEMBERED = 200

export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest)
}
