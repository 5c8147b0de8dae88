/**
 * Whole lines that are nearly the quoted ones: as many lines, blank ones and indentation aside, and so few letters changed
 * that no other place comes close. A quote that leaves a line out is not similar: replacing it would lose that line.
 */

const MIN_SCORE = 0.9
/** The best place must be this much better than the next. */
const MIN_MARGIN = 0.05
/** A line that differs more than this is another line, however well the rest fits. */
const MAX_LINE_CHANGE = 0.4
/** Long files times long quotes: beyond this the search is not worth its time. */
const MAX_WORK = 4_000_000

export type LineSpan = { readonly start: number; readonly end: number }

/** The one place that fits, the several that do, or none. */
export function findSimilarLines(text: string, quote: string): readonly LineSpan[] {
  const lines = solidLines(text)
  const wanted = solidLines(quote)
  if (wanted.length === 0 || lines.length * wanted.length > MAX_WORK) return []
  const length = wanted.reduce((sum, line) => sum + line.text.length, 0)
  const limit = Math.floor(length * (1 - MIN_SCORE + MIN_MARGIN))
  const candidates: { score: number; span: LineSpan }[] = []
  for (let first = 0; first + wanted.length <= lines.length; first++) {
    const changes = changesAt(lines, first, { wanted, limit })
    const span = spanOf(lines, first, wanted.length)
    if (changes <= limit && span) candidates.push({ score: 1 - changes / length, span })
  }
  const [best, next] = candidates.toSorted((a, b) => b.score - a.score)
  if (!best || best.score < MIN_SCORE) return []
  const isUnique = !next || best.score - next.score >= MIN_MARGIN
  return isUnique ? [best.span] : [best.span, next.span]
}

type Line = { readonly text: string; readonly start: number }

/** Lines that are not blank, without indentation, and where they stand. */
function solidLines(text: string): Line[] {
  return Array.from(text.matchAll(/[^\s][^\n]*/g), ({ 0: line, index }) => ({
    text: line.trimEnd(),
    start: index,
  }))
}

type Wanted = { readonly wanted: readonly Line[]; readonly limit: number }

/** Letters to change, summed over the lines; gives up as soon as there are too many. */
function changesAt(lines: readonly Line[], first: number, { wanted, limit }: Wanted): number {
  let changes = 0
  for (const [index, { text }] of wanted.entries()) {
    const most = Math.min(limit - changes, Math.ceil(text.length * MAX_LINE_CHANGE))
    const other = lines[first + index]?.text ?? ''
    const found = boundedDistance(other, text, most)
    // `}` and `c` are one letter apart and have nothing in common.
    if (found > most || (found > 0 && found >= Math.max(other.length, text.length))) return limit + 1
    changes += found
  }
  return changes
}

function spanOf(lines: readonly Line[], first: number, count: number): LineSpan | undefined {
  const start = lines[first]
  const end = lines[first + count - 1]
  return start && end && { start: start.start, end: end.start + end.text.length }
}

/** Levenshtein within a band: anything above `limit` comes back as `limit + 1`. */
function boundedDistance(a: string, b: string, limit: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = []
    const from = Math.max(1, i - limit)
    const to = Math.min(b.length, i + limit)
    if (from === 1) next[0] = i
    let least = at(next, 0)
    for (let j = from; j <= to; j++) {
      const change = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const cost = Math.min(change, at(row, j) + 1, at(next, j - 1) + 1)
      next[j] = cost
      least = Math.min(least, cost)
    }
    if (least > limit) return limit + 1
    row = next
  }
  return at(row, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
