import { randomInt } from 'node:crypto'

/** When the session began (UTC, sortable) and four letters that tell it from its neighbours: `20261115-0447-k3f9`. */
export function newSessionId(now: number): string {
  const time = new Date(now).toISOString().replaceAll('-', '').replaceAll(':', '')
  const suffix = Array.from({ length: 4 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('')
  return `${time.slice(0, 8)}-${time.slice(9, 13)}-${suffix}`
}

/** An id becomes part of a path: nothing else may pass. */
export const isSessionId = (text: string): boolean => /^\d{8}-\d{4}-[a-z0-9]{4}$/.test(text)

/** Without those that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
