/**
 * Lines of the project that a request may be about: what a setting is called in a file, and its value now. A line is listed
 * when it shares telling words with the request, rare words first. Must equal nano/lines.py. Pure.
 */
import type { ListedLine } from '../weights/format.ts'
import { lengthOf } from '../request/spans.ts'
import { stopWords } from '../request/words.ts'

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
  const order = new Map(lines.map((line, at) => [line, at]))
  const best = [...scoresOf(request, lines, ranks)]
    .toSorted(([a, one], [b, other]) => other - one || (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .slice(0, MAX_LINES)
    .map(([line]) => line)
  return [...new Set([...placed(request.toLowerCase(), lines, ranks), ...best])]
    .slice(0, MAX_LINES)
    .map(({ path, number, text }) => ({ path, number, text }))
}

/** Of each line that shares a word with the request; what opens its section counts for it, too. */
function scoresOf(
  request: string,
  lines: readonly IndexedLine[],
  ranks: ReadonlyMap<string, number>,
): Map<IndexedLine, number> {
  const scores = new Map<IndexedLine, number>()
  const openers = new Map<IndexedLine, number>()
  for (const word of telling(request)) {
    const places = lines.filter(({ words }) => words.has(word))
    const worth = RARITY.find(([most]) => places.length <= most)?.[1] ?? 1
    for (const line of places) {
      const isNamed = line.names.has(word) && (ranks.get(line.path) ?? 0) >= 5
      scores.set(line, (scores.get(line) ?? 0) + (isNamed ? worth : 2 * worth))
      openers.set(line, (openers.get(line) ?? 0) + worth)
    }
  }
  for (const [line, score] of scores) {
    const section = line.section ? (openers.get(line.section) ?? 0) : 0
    scores.set(line, score + section + bonus(ranks.get(line.path) ?? 0) + shapeOf(line.text))
  }
  return scores
}

/** A name and its value; what only opens a part of a file. */
const SETTING = /[\p{L}\p{N}_]["']?\s*(?:=|:)\s*["']?\S|\[[ x]\]|^#define /u
const HEADING = /^(?:#(?!define)|\/\/|--|\[[^\]]*\]$|"""|<!--|\\)/
/** A line that opens a part of a file. */
export const SECTION = /^(?:\[[^\]]+\]|#+ .+|[\p{L}\p{N}_"' -]+:(?: \{)?)$/u

const shapeOf = (line: string): number => 4 * Number(SETTING.test(line)) - 4 * Number(HEADING.test(line))

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

const bonus = (rank: number): number => (rank >= 6 ? 20 : rank === 5 ? 12 : 0)

type IndexedLine = ListedLine & {
  readonly words: ReadonlySet<string>
  /** Of its path. */
  readonly names: ReadonlySet<string>
  /** The line that opens the part of the file it is in. */
  readonly section?: IndexedLine
}

function linesOf(path: string, text: string): IndexedLine[] {
  const names = new Set(wordsIn(path).map(fold))
  let section: IndexedLine | undefined
  return text.split('\n').flatMap((raw, index) => {
    const line = raw.trim()
    if (line === '' || lengthOf(line) > MAX_LINE) return []
    const words = new Set(wordsIn(line).map(fold))
    const isOpener = SECTION.test(line)
    const found = {
      path,
      number: index + 1,
      text: line,
      words,
      names,
      ...(section && !isOpener && { section }),
    }
    if (isOpener) section = found
    return [found]
  })
}

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
      .filter(
        (word) => !stopWords.has(word) && !ABOUT_LINES.has(word) && (word.length > 1 || /\d/.test(word)),
      )
      .map(fold),
  )

/** A form in which `samples` and `sampling` are one. */
export const fold = (word: string): string =>
  Array.from(lengthOf(word) > 3 && word.endsWith('s') ? word.slice(0, -1) : word)
    .slice(0, 6)
    .join('')
