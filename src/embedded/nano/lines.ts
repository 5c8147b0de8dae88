/**
 * Lines of the project that a request may be about: what a setting is called in a file, and its value now. A line is listed
 * when it shares telling words with the request, rare words first. Must equal nano/lines.py. Pure.
 */
import type { ListedLine } from './format.ts'
import { lengthOf } from './spans.ts'
import { stopWords } from './words.ts'

const MAX_LINES = 8
const MAX_LINE = 160
const MAX_FILE = 60_000

/** How much a word counts that occurs in at most so many lines. */
const RARITY: readonly (readonly [number, number])[] = [
  [2, 6],
  [6, 4],
  [15, 3],
  [40, 2],
]

/** `files` holds texts by path, `ranks` those of the paths the request names. */
export function matchLines(
  request: string,
  files: ReadonlyMap<string, string>,
  ranks: ReadonlyMap<string, number>,
): ListedLine[] {
  const lines = [...files]
    .filter(([, text]) => lengthOf(text) <= MAX_FILE)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, text]) => linesOf(path, text))
  const scores = new Map<number, number>()
  for (const word of telling(request)) {
    const places = lines.flatMap(({ words }, at) => (words.has(word) ? [at] : []))
    const worth = RARITY.find(([most]) => places.length <= most)?.[1] ?? 1
    for (const at of places) scores.set(at, (scores.get(at) ?? 0) + worth)
  }
  return [...scores]
    .map(([at, score]) => ({ at, score: score + bonus(ranks.get(lines[at]?.path ?? '') ?? 0) }))
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_LINES)
    .flatMap(({ at }) => {
      const line = lines[at]
      return line ? [{ path: line.path, number: line.number, text: line.text }] : []
    })
}

const bonus = (rank: number): number => (rank >= 6 ? 8 : rank === 5 ? 5 : 0)

type IndexedLine = ListedLine & { readonly words: ReadonlySet<string> }

const linesOf = (path: string, text: string): IndexedLine[] =>
  text.split('\n').flatMap((raw, index) => {
    const line = raw.trim()
    if (line === '' || lengthOf(line) > MAX_LINE) return []
    return [{ path, number: index + 1, text: line, words: new Set(wordsIn(line).map(fold)) }]
  })

const wordsIn = (text: string): string[] =>
  text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .match(/\p{L}+|\d+/gu) ?? []

const telling = (request: string): Set<string> =>
  new Set(
    wordsIn(request)
      .filter((word) => !stopWords.has(word) && (word.length > 1 || /\d/.test(word)))
      .map(fold),
  )

/** A form in which `samples` and `sampling` are one. */
const fold = (word: string): string =>
  Array.from(lengthOf(word) > 3 && word.endsWith('s') ? word.slice(0, -1) : word)
    .slice(0, 6)
    .join('')
