/** The lines of a text that share most words with a quote that is not there: shown after a wrong quote. */

/** Lines counted from 1, both ends included. */
export type Region = { readonly from: number; readonly to: number }

export function nearestRegion(text: string, quote: string): Region | undefined {
  const words = new Set(wordsOf(quote))
  const lines = text.split('\n')
  const size = Math.min(lines.length, quote.trim().split('\n').length)
  const shared = lines.map((line) => sharedLength(line, words))
  let sum = shared.slice(0, size).reduce((total, value) => total + value, 0)
  let best = { first: 0, sum }
  for (let first = 1; first + size <= lines.length; first++) {
    sum += (shared[first + size - 1] ?? 0) - (shared[first - 1] ?? 0)
    const startsBetter = (shared[first] ?? 0) > (shared[best.first] ?? 0)
    if (sum > best.sum || (sum === best.sum && startsBetter)) best = { first, sum }
  }
  return best.sum > 0 ? { from: best.first + 1, to: best.first + size } : undefined
}

/** Letters of the distinct words a line shares with the quote, so that a long name counts more than `if`. */
function sharedLength(line: string, words: ReadonlySet<string>): number {
  let length = 0
  for (const word of new Set(wordsOf(line))) if (words.has(word)) length += word.length
  return length
}

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? []
