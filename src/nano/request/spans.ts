/**
 * What a free-text argument may be: a stretch of the request between two of its boundaries. A boundary lies at the
 * edge of a word, also of a word without its quotes and end punctuation, and at a few signs inside words
 * (`src/a.ts:42`, `PORT=3000`). The model only points. Must equal nano/spans.py, down to what counts as white space.
 */
import { numberWords } from './words.ts'

const OPENERS = new Set('"\'`“”„‘’«»([{<*_~')
const CLOSERS = new Set('"\'`“”‘’«»)]}>*_~.,;:!?…')
/** Each start point makes the grammar larger. */
const MAX_STARTS = 64

/** Python's idea of white space: some control characters more, the byte order mark not. */
const WORD = /(?:[^\s\u001C-\u001F\u0085]|\uFEFF)+/g
const INNER = /->|=>|→|[=:,;|"'`“”‘’()]/g
const POSSESSIVE = /['’]s$/

/** Offsets in the text, ascending. */
export type Boundaries = {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Where each word begins. */
  readonly words: readonly number[]
}

export function boundaries(request: string): Boundaries {
  const found: Found = { outer: [], inner: [], ends: new Set() }
  const words = [...request.matchAll(WORD)]
  for (const { 0: word, index } of words) addWord(word, index, found)
  return {
    starts: limited(request, found),
    ends: [...found.ends].toSorted(ascending),
    words: words.map(({ index }) => index),
  }
}

/** Of a listed line: also around each run of digits, so that the number of `60000u` or `30s` can be changed. */
export function lineBoundaries(line: string): Boundaries {
  const found = boundaries(line)
  const runs = Array.from(
    line.matchAll(/[0-9]+(?:\.[0-9]+)*/g),
    ({ 0: digits, index }) => [index, index + digits.length] as const,
  )
  const merged = (known: readonly number[], more: readonly number[]): number[] =>
    [...new Set([...known, ...more])].toSorted(ascending)
  return {
    ...found,
    starts: merged(
      found.starts,
      runs.map(([start]) => start),
    ),
    ends: merged(
      found.ends,
      runs.map(([, end]) => end),
    ),
  }
}

type Found = { readonly outer: number[]; readonly inner: number[]; readonly ends: Set<number> }

function addWord(word: string, offset: number, { outer, inner, ends }: Found): void {
  let first = 0
  outer.push(offset)
  while (first < word.length - 1 && OPENERS.has(word[first] ?? '')) outer.push(offset + ++first)
  let last = word.length
  ends.add(offset + last)
  while (last > 1 && CLOSERS.has(word[last - 1] ?? '')) ends.add(offset + --last)
  const possessive = word.slice(0, last).search(POSSESSIVE)
  if (possessive > 0) ends.add(offset + possessive)
  for (const { 0: sign, index } of word.matchAll(INNER)) {
    const after = index + sign.length
    if (index > 0) ends.add(offset + index)
    if (after > first && after < word.length) inner.push(offset + after)
  }
}

/** Beginnings of lines and of the request matter most, signs inside words least. */
function limited(request: string, { outer, inner }: Found): number[] {
  const all = [...outer, ...inner]
  if (outer.length <= MAX_STARTS) {
    const room = all.length <= MAX_STARTS ? inner : inner.slice(0, MAX_STARTS - outer.length)
    return [...new Set([...outer, ...room])].toSorted(ascending)
  }
  const firstOfLine = outer.filter((start) => start === 0 || beginsLine(request, start))
  const chosen = new Set(firstOfLine.slice(0, MAX_STARTS / 2))
  for (const start of outer) if (chosen.size < MAX_STARTS) chosen.add(start)
  return [...chosen].toSorted(ascending)
}

const beginsLine = (request: string, start: number): boolean =>
  request
    .slice(Math.max(0, start - 8), start)
    .replaceAll(' ', '')
    .endsWith('\n')

const ascending = (a: number, b: number): number => a - b

/** Words without quotes and punctuation, as path matching and globs see them. */
export const wordsOf = (text: string): string[] =>
  (text.match(WORD) ?? []).map(bare).filter((word) => word !== '')

const AROUND = '"\'`“”„‘’«»()[]{}<>,;:!?…*~'

function bare(word: string): string {
  const stripped = strip(word, AROUND).replace(POSSESSIVE, '')
  return /(?:^|[^.])\.$/.test(stripped) ? stripped.slice(0, -1) : stripped
}

/** In characters, as Python counts: an emoji is one. */
export const lengthOf = (text: string): number => Array.from(text).length

/** Without these characters at both ends. */
export function strip(text: string, characters: string): string {
  let first = 0
  let last = text.length
  while (first < last && characters.includes(text[first] ?? '')) first++
  while (last > first && characters.includes(text[last - 1] ?? '')) last--
  return text.slice(first, last)
}

/** Every offset of `part` in `text`; an empty part has none. */
export function placesOf(part: string, text: string): number[] {
  const places: number[] = []
  const step = (from: number): number => (part === '' ? -1 : text.indexOf(part, from))
  for (let at = step(0); at >= 0; at = step(at + 1)) places.push(at)
  return places
}

/** Numbers as JSON writes them: those in digits, then those in words. */
export function numbersOf(text: string): string[] {
  const spoken = wordsOf(text)
    .map((word) => word.toLowerCase())
    .filter((word) => !/^\d+$/.test(word))
    .flatMap((word) => numberWords.get(word) ?? [])
  return [...new Set([...(text.match(/\d{1,6}/g) ?? []), ...spoken.map(String)])].filter(
    (digits) => digits === '0' || !digits.startsWith('0'),
  )
}
