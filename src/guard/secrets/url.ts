/** Passwords in addresses: `postgres://user:password@host`. Only the password is the secret; the host stays readable. */
import type { Finder } from './finding.ts'
import { letters, walkBack, walkOn } from './letters.ts'
import { isStandIn, looksGenerated } from './value.ts'

export const urlFinder: Finder = {
  anchor: '://',
  find(text, at) {
    const from = at + 3
    const stop = walkOn(text, from, AUTHORITY, MAX_AUTHORITY)
    if (stop - from < 3) return undefined
    const authority = text.slice(from, stop)
    const sign = authority.lastIndexOf('@')
    if (sign < 1 || sign === authority.length - 1) return undefined
    const scheme = text.slice(walkBack(text, at, SCHEME, 20), at).toLowerCase()
    const { start, end } = secretPart(authority, sign)
    const value = authority.slice(start, end)
    if (!(start === 0 ? looksGenerated(value) : isPassword(value, scheme))) return undefined
    return {
      start: from + start,
      end: from + end,
      kind: WEB.test(scheme) ? 'basic-auth' : 'database-password',
    }
  },
}

/** The password; where there is none, or one that says so, the name is the key. */
function secretPart(authority: string, sign: number): { readonly start: number; readonly end: number } {
  const colon = authority.indexOf(':')
  if (colon < 0 || colon > sign) return { start: 0, end: sign }
  return authority.slice(colon + 1, sign) === 'x-oauth-basic'
    ? { start: 0, end: colon }
    : { start: colon + 1, end: sign }
}

const AUTHORITY = letters('A-Za-z0-9!#$%&()*+,;=:@._~^|{}\\[\\]-')
const SCHEME = letters('A-Za-z0-9+.-')
const WEB = /(?:^|[+.-])(?:https?|ftps?|wss?|git|ssh|svn)$/
const MAX_AUTHORITY = 512

function isPassword(value: string, scheme: string): boolean {
  const shortest = WEB.test(scheme) ? 4 : 3
  return value.length >= shortest && !isStandIn(value) && !WORDS.test(value)
}

/** What documentation puts for a password in an address. */
const WORDS =
  /^(?:my|your|the|some|super|top|db|database|user|name|secret|passwd|password|pass|pwd|pw|test|example|admin|root|guest|default|dev|local|host|joe|bob|alice|smith|postgres|mysql|mongo|redis|foo|bar|baz|token|key|value|here|change|me|x|p|\d|[-_.$])+$/i
