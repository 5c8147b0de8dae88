/** How long a failed arm stays in back-off, by its error: a wrong key stays wrong, a connection may recover. Pure. */
import { AppError } from '../protocol/error.ts'

export type Aside = { readonly until: number; readonly why: string; readonly failures: number }

const MINUTE = 60_000
const CREDENTIAL_MS = 30 * MINUTE
const RATE_MS = 5 * MINUTE
const LONGEST_RATE_MS = 60 * MINUTE
const FIRST_TRANSPORT_MS = 10_000
const LONGEST_TRANSPORT_MS = 5 * MINUTE

/** Whether it is still in back-off. A date beyond the longest back-off came from a wrong clock. */
export const isAside = (aside: Pick<Aside, 'until'> | undefined, now: number): boolean =>
  aside !== undefined && aside.until > now && aside.until - now <= LONGEST_RATE_MS

const OVERLOADED = 529

/** The server itself asked for fewer requests, from any client. */
export const isSlowDown = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'rate-limited' || error.details.status === OVERLOADED)

/** Nothing where the arm is not to blame: a bad request, a full context, a server that is still loading. */
export function asideAfter(error: unknown, before: Aside | undefined, now: number): Aside | undefined {
  if (!(error instanceof AppError)) return undefined
  const failures = (before?.failures ?? 0) + 1
  const aside = (ms: number, why: string): Aside => ({ until: now + ms, why, failures })
  const { retryAfterMs = 0, loading, unparsedCall } = error.details
  if (error.code === 'credential') return aside(CREDENTIAL_MS, 'its key was refused')
  if (isSlowDown(error)) {
    return aside(Math.min(LONGEST_RATE_MS, Math.max(RATE_MS, retryAfterMs)), 'it asked to slow down')
  }
  if (error.code !== 'model-unavailable' || loading || unparsedCall) return undefined
  return aside(
    Math.min(LONGEST_TRANSPORT_MS, FIRST_TRANSPORT_MS * 2 ** (failures - 1)),
    'it could not be reached or broke off',
  )
}
