/**
 * Where in a text a quote stands. A small model quotes code with other blanks, other indentation, other quote characters or
 * a slip; the quote is looked for exactly, then with those differences folded, then line by line with a few letters
 * changed. Two places that fit are none: nothing is guessed.
 */
import { toAscii } from './look-alikes.ts'
import { nearestRegion, type Region } from './nearest-region.ts'
import { findSimilarLines } from './similar-lines.ts'

export type Span = { readonly start: number; readonly end: number }

export type Match =
  | ({ readonly kind: 'found'; readonly how: MatchKind } & Span)
  /** It fits in several places, all in the same way. */
  | { readonly kind: 'many'; readonly how: MatchKind; readonly spans: readonly Span[] }
  | { readonly kind: 'none'; readonly nearest?: Region }

/** `folded`: white space or look-alike characters differ. `similar`: letters do, so that only its place is known. */
export type MatchKind = 'exact' | 'folded' | 'similar'

export function findMatch(text: string, quote: string): Match {
  if (quote.trim() === '') return { kind: 'none' }
  for (const { how, find } of stages) {
    const spans = find(text, quote)
    const [span, ...more] = spans
    if (more.length > 0) return { kind: 'many', how, spans }
    if (span) return { kind: 'found', how, ...span }
  }
  const nearest = nearestRegion(text, quote)
  return { kind: 'none', ...(nearest && { nearest }) }
}

type Stage = { readonly how: MatchKind; find(text: string, quote: string): readonly Span[] }

const stages: readonly Stage[] = [
  {
    how: 'exact',
    find: (text, quote) => occurrences(text, quote).map((start) => ({ start, end: start + quote.length })),
  },
  { how: 'folded', find: (text, quote) => findFolded(text, quote, ' ') },
  {
    how: 'folded',
    find: (text, quote) => (bareLength(quote) < MIN_LOOSE ? [] : findFolded(text, quote, '')),
  },
  {
    how: 'similar',
    find: (text, quote) => (bareLength(quote) < MIN_LOOSE ? [] : findSimilarLines(text, quote)),
  },
]

/** Below this many characters a quote that only nearly fits says too little. */
const MIN_LOOSE = 12

const bareLength = (text: string): number => text.replaceAll(/\s/g, '').length

function occurrences(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at)
  return found
}

/** Every run of white space counts as `gap`; what surrounds the quote does not count. */
function findFolded(text: string, quote: string, gap: '' | ' '): Span[] {
  const folded = fold(text, gap)
  const wanted = fold(quote.trim(), gap).text
  return occurrences(folded.text, wanted).map((at) => ({
    start: folded.offsets[at] ?? 0,
    end: (folded.offsets[at + wanted.length - 1] ?? 0) + 1,
  }))
}

/** Two texts that fold to the same differ in white space and look-alike characters only. */
export const foldLine = (line: string): string => fold(line, '').text

/** The text with its white space folded, and where each of its characters stood. */
function fold(text: string, gap: '' | ' '): { readonly text: string; readonly offsets: Uint32Array } {
  const offsets = new Uint32Array(text.length)
  const parts: string[] = []
  let length = 0
  for (const { 0: run, index } of toAscii(text).matchAll(/\S+|\s+/g)) {
    const kept = run.trim() === '' ? gap : run
    parts.push(kept)
    for (let step = 0; step < kept.length; step++) offsets[length++] = index + step
  }
  return { text: parts.join(''), offsets }
}
