/** Words of servers on their way to a model or a person: plain, on one line, and no longer than they may be. Pure. */
import { cleanOutput, clip } from '../lib/text.ts'

/** Removes control sequences and invisible characters. */
export const toOneLine = (text: string): string =>
  cleanOutput(text.slice(0, MAX_READ))
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()

/** More than any line of ours shows. */
const MAX_READ = 20_000

/** Four letters are about one token; scripts without spaces take more of them for each letter. */
export function clipCost(text: string, most: number): string {
  let cost = 0
  for (let index = 0; index < text.length; index++) {
    cost += costOf(text.charCodeAt(index))
    if (cost > most) return clip(text, Math.max(2, index))
  }
  return text
}

/** Halves of emoji cost most. */
const costOf = (code: number): number => (code < 128 ? 1 : code >= 0xd800 && code < 0xe000 ? 6 : 4)
