/**
 * Lines of the project that a request may be about: what a setting is called in a file, and its value now. A line is listed
 * when it shares telling words with the request, rare words first. Must equal nano/lines.py. Pure.
 */
import type { ListedLine } from './format.ts'
import { lengthOf } from './spans.ts'
import { stopWords } from './words.ts'

export const MAX_LINES = 8
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
  const best = [...scores]
    .map(([at, score]) => ({ at, score: score + bonus(ranks.get(lines[at]?.path ?? '') ?? 0) }))
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_LINES)
    .flatMap(({ at }) => lines[at] ?? [])
  return [...new Set([...placed(request.toLowerCase(), lines, ranks), ...best])]
    .slice(0, MAX_LINES)
    .map(({ path, number, text }) => ({ path, number, text }))
}

const FIRST =
  /\b(?:first|top|opening|1st) (?:\w+ )?(?:line|row|entry|item|bullet|point|heading|sentence)\b|\b(?:top|beginning|start|head) of\b|\b(?:title|heading|headline)\b/
const LAST =
  /\b(?:last|bottom|final|closing) (?:\w+ )?(?:line|row|entry|item|bullet|point|sentence)\b|\b(?:bottom|end) of\b/
const NUMBERED = /\b(?:line|row) (?:number |no\.? )?([0-9]{1,4})\b/g

/** Lines that the request names by where they stand, in the files that it names: "the last line", "line 12". */
function placed(
  request: string,
  lines: readonly IndexedLine[],
  ranks: ReadonlyMap<string, number>,
): IndexedLine[] {
  const known = new Set(lines.map(({ path }) => path))
  const named = [...ranks]
    .filter(([path, rank]) => rank >= 5 && known.has(path))
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, 2)
  const wanted = new Set(Array.from(request.matchAll(NUMBERED), ([, number]) => Number(number)))
  return named.flatMap(([path]) => {
    const own = lines.filter((line) => line.path === path)
    return [
      ...(FIRST.test(request) ? own.slice(0, 1) : []),
      ...(LAST.test(request) ? own.slice(-1) : []),
      ...own.filter(({ number }) => wanted.has(number)).slice(0, 2),
    ]
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

/** What one does with a line, and what one calls it, says nothing about which it is. */
const ABOUT_LINES = new Set(
  (
    'line lines row rows entry entries word words text change changed replace set remove delete drop put add append write edit update ' +
    'correct fix mark tick copy move rename search find list display print kindly everywhere every first last bottom instead currently ' +
    'called saying says'
  ).split(' '),
)

const telling = (request: string): Set<string> =>
  new Set(
    wordsIn(request)
      .filter((word) => !stopWords.has(word) && !ABOUT_LINES.has(word) && (word.length > 1 || /\d/.test(word)))
      .map(fold),
  )

/** A form in which `samples` and `sampling` are one. */
const fold = (word: string): string =>
  Array.from(lengthOf(word) > 3 && word.endsWith('s') ? word.slice(0, -1) : word)
    .slice(0, 6)
    .join('')
