/**
 * Reading JSON with repair, within limits for one reply. Repairing takes time that grows with the square of the text
 * when quotes are missing or too many; one call may be worth that, a reply full of broken ones is not.
 */
import type { JsonReading } from '../../lib/json.ts'
import { readJson } from '../../lib/json.ts'
import { endsInString } from './json-scan.ts'

/** Characters times quotes: about half a second of repairing. */
const BUDGET = 300_000_000
/** What a repair costs, however short the text is. */
const ONE_REPAIR = 200_000
/** No tool asks for more; deeper nesting would overflow the stack of code that walks it. */
const MAX_DEPTH = 100

export const TOO_DEEP = 'it is nested too deeply'

export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= MAX_DEPTH || Object.values(value).some((inner) => isTooDeep(inner, depth + 1))
}

export class Repair {
  #left = BUDGET

  /** `closeStrings: false`: a string that was left open is not closed. */
  read(text: string, { closeStrings = true }: { readonly closeStrings?: boolean } = {}): JsonReading {
    const isSound = isValid(text)
    const cost = isSound ? 0 : ONE_REPAIR + text.length * (1 + countQuotes(text))
    if (cost > this.#left) return { ok: false, reason: 'not valid JSON' }
    this.#left -= cost
    if (!closeStrings && !isSound && endsInString(text))
      return { ok: false, reason: 'a string is never closed' }
    const reading = readJson(text, { closeStrings })
    return reading.ok && isTooDeep(reading.value) ? { ok: false, reason: TOO_DEEP } : reading
  }
}

function isValid(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++
  return count
}
