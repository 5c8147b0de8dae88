/**
 * Where in a text somebody means. A small model quotes code with other spaces, other indentation or a slip; the quote is
 * looked for exactly, then ignoring white space, then line by line with small differences. Two places that fit are none:
 * this never guesses.
 */
import { nearestRegion, type Region } from './nearest-region.ts'
import { lineAt } from './text.ts'
import { findSimilarLines } from './similar-lines.ts'

export type Match =
  | { readonly kind: 'found'; readonly how: MatchKind; readonly start: number; readonly end: number }
  /** It fits in several places; the lines it starts on. */
  | { readonly kind: 'many'; readonly lines: readonly number[] }
  | { readonly kind: 'none'; readonly nearest?: Region }

type MatchKind = 'exact' | 'white space' | 'similar'

export function findMatch(text: string, quote: string): Match {
  if (quote.trim() === '') return { kind: 'none' }
  for (const find of stages) {
    const spans = find(text, quote)
    if (spans.length > 1) return { kind: 'many', lines: spans.map(({ start }) => lineAt(text, start)) }
    const [span] = spans
    if (span) return { kind: 'found', ...span }
  }
  const nearest = nearestRegion(text, quote)
  return { kind: 'none', ...(nearest && { nearest }) }
}

type Span = { readonly start: number; readonly end: number; readonly how: MatchKind }

const stages: readonly ((text: string, quote: string) => readonly Span[])[] = [
  (text, quote) =>
    occurrences(text, quote).map((start) => ({ start, end: start + quote.length, how: 'exact' })),
  (text, quote) => findFolded(text, quote, ' '),
  (text, quote) => (bareLength(quote) < MIN_LOOSE ? [] : findFolded(text, quote, '')),
  (text, quote) =>
    bareLength(quote) < MIN_LOOSE
      ? []
      : findSimilarLines(text, quote).map((span) => ({ ...span, how: 'similar' })),
]

/** Below this many characters a quote that only nearly fits says too little. */
const MIN_LOOSE = 12

const bareLength = (text: string): number => text.replaceAll(/\s/g, '').length

/** The limit is for the message only: nobody wants a thousand line numbers. */
const MAX_PLACES = 20

function occurrences(text: string, part: string): number[] {
  const found: number[] = []
  for (
    let at = text.indexOf(part);
    at >= 0 && found.length < MAX_PLACES;
    at = text.indexOf(part, at + part.length)
  ) {
    found.push(at)
  }
  return found
}

/** Every run of white space counts as `gap`; what surrounds the quote does not count. */
function findFolded(text: string, quote: string, gap: '' | ' '): Span[] {
  const folded = fold(text, gap)
  const wanted = fold(quote.trim(), gap).text
  return occurrences(folded.text, wanted).map((at) => ({
    start: folded.offsets[at] ?? 0,
    end: (folded.offsets[at + wanted.length - 1] ?? 0) + 1,
    how: 'white space',
  }))
}

/** The text with its white space folded, and where each of its characters stood. */
function fold(text: string, gap: '' | ' '): { readonly text: string; readonly offsets: Uint32Array } {
  const offsets = new Uint32Array(text.length)
  const parts: string[] = []
  let length = 0
  for (const { 0: run, index } of text.matchAll(/\S+|\s+/g)) {
    const kept = run.trim() === '' ? gap : run
    parts.push(kept)
    for (let step = 0; step < kept.length; step++) offsets[length++] = index + step
  }
  return { text: parts.join(''), offsets }
}
