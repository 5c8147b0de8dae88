/**
 * Reading JSON with repair, within limits for one reply. Repairing takes time that grows with the square of the text
 * when quotes are missing or too many; one call may be worth that, a reply full of broken ones is not.
 */
import type { JsonReading } from '../lib/json.ts'
import { readJson } from '../lib/json.ts'

/** Characters times quotes: about half a second of repairing. */
const BUDGET = 300_000_000

export class Repair {
  #left = BUDGET

  read(text: string, options: { readonly closeStrings?: boolean } = {}): JsonReading {
    const cost = isValid(text) ? 0 : text.length * (1 + countQuotes(text))
    if (cost > this.#left) return { ok: false, reason: 'not valid JSON' }
    this.#left -= cost
    return readJson(text, options)
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
