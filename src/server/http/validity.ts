/**
 * Whether the token of a stream still counts. It is looked at when it expires, when this process revokes one, and every
 * now and then, because another process may revoke it too.
 */
export type Validity = {
  isStillValid(): Promise<boolean>
  /** In ms since 1970; absent = until it is revoked. */
  readonly expiresAt?: number
  /** Calls back when this process has revoked a token; returns the end of that. */
  readonly onRevoke?: (look: () => void) => () => void
}

/** Longer timers end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Calls `end` once when the token no longer counts, or when that cannot be known. Returns the end of watching. */
export function watchValidity(
  { isStillValid, expiresAt, onRevoke }: Validity,
  everyMs: number,
  end: () => void,
): () => void {
  let isOver = false
  let expiry: NodeJS.Timeout | undefined
  const stop = (): void => {
    isOver = true
    clearInterval(looking)
    clearTimeout(expiry)
    forget?.()
  }
  const refuse = (): void => {
    if (isOver) return
    stop()
    end()
  }
  const look = (): void => void isStillValid().then((isFine) => (isFine ? undefined : refuse()), refuse)
  const waitForExpiry = (at: number): void => {
    if (isOver) return
    const leftMs = at - Date.now()
    if (leftMs <= 0) return look()
    expiry = setTimeout(() => waitForExpiry(at), Math.min(leftMs, LONGEST_TIMER_MS))
  }
  const looking = setInterval(look, everyMs)
  const forget = onRevoke?.(look)
  if (expiresAt !== undefined) waitForExpiry(expiresAt)
  return stop
}
