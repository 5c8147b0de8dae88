/** The parts of a line that a change may replace, each with the signs by which the ranking of edits judges it. Pure. */
import { type EditLine, tellingWords } from './lines.ts'
import { cellsOf, type Column, type Stretch } from './table.ts'
import { fold } from '../project/lines.ts'
import { isCut, type Look, lookOf, type Part, wordAfter, wordBefore } from '../opinion/part.ts'
import { shapeOf } from '../opinion/shape.ts'
import { wordsIn } from '../opinion/tokens.ts'

export type OldPart = Part &
  Look & {
    readonly kinds: readonly string[]
    /** Where the clause says it; -1 where it does not. */
    readonly at: number
    readonly isCut: boolean
    /** Words of the line besides it. */
    readonly rest: ReadonlySet<string>
    /** Where it is a cell of a table. */
    readonly column?: Column
  }

const MOST = 40

export function oldParts({ text, columns, place }: EditLine, clause: string): OldPart[] {
  const said = clause.toLowerCase()
  const asked = tellingWords(clause)
  const found = new Map<string, OldPart>()
  for (const { column, kind, ...stretch } of stretchesOf(text, columns, said)) {
    const { start, end } = trimmed(text, stretch)
    const key = `${start}:${end}`
    const known = found.get(key)
    if ((start === end && !MAY_BE_EMPTY.has(kind)) || (!known && found.size >= MOST)) continue
    const part = text.slice(start, end)
    const { kinds, signs } = known ?? {
      kinds: [],
      signs: [
        `old-shape:${shapeOf(part)}`,
        ...spelledSigns(part, said),
        ...place.map((sign) => `${sign} old:${kind}`),
        ...(isCut(text, start, end) ? ['old-cut'] : []),
      ],
    }
    found.set(key, {
      start,
      end,
      text: part,
      ...lookOf(part),
      at: part === '' ? -1 : said.indexOf(part.toLowerCase()),
      isCut: isCut(text, start, end),
      rest: known?.rest ?? restWords(text, start, end),
      kinds: [...kinds, `old:${kind}`],
      ...(known?.column && { column: known.column }),
      ...(column && { column }),
      signs: [...signs, `old:${kind}`, ...columnSigns(column, asked)],
    })
  }
  return [...found.values()]
}

/** A cell or a value that is still to be filled in. */
const MAY_BE_EMPTY = new Set(['cell', 'value'])

type Found = Stretch & { readonly kind: string; readonly column?: Column }

/** The likeliest first: there may be more than are judged. */
function* stretchesOf(text: string, columns: readonly Column[], said: string): Generator<Found> {
  yield { start: 0, end: text.length, kind: 'line' }
  const bullet = /^(?:[-*] \[[ x]\]|[-*•]|\d+[.)]|#+|\[[ x]\])\s+/i.exec(text)
  if (bullet) yield { start: bullet[0].length, end: text.length, kind: 'item' }
  const box = /\[[ x]\]/i.exec(text)
  if (box) yield { start: box.index, end: box.index + box[0].length, kind: 'box' }
  yield* matches(text, COMMENT, 'comment')
  yield* values(text)
  const cells = cellsOf(text)
  if (cells.length > 2)
    for (const [at, cell] of cells.entries()) {
      const column = columns[at]
      yield { ...cell, kind: 'cell', ...(column && { column }) }
    }
  for (const run of sharedRuns(text, said)) yield { ...run, kind: 'shared' }
  yield* matches(text, /(?<=")[^"]+(?=")|(?<=')[^']+(?=')|(?<=`)[^`]+(?=`)/g, 'quoted')
  yield* matches(text, /\([^()]+\)/g, 'bracketed')
  yield* matches(text, NAME, 'name')
  yield* matches(text, /\+?\d[\d ]{6,}\d/g, 'phone')
  yield* matches(text, DATE, 'date')
  // Between commas that part cells a number ends before the next one.
  const isRow = columns.length > 2 && text.includes(',')
  yield* matches(text, isRow ? NUMBER_IN_ROW : /[£$€¥]?\d[\d.,:/-]*\d%?|[£$€¥]?\d%?/g, 'number')
  yield* matches(text, /(?<=[£$€¥])\d[\d.,]*\d|(?<=[£$€¥])\d|\d+(?=%)/g, 'digits')
  yield* matches(text, /(?<=[\p{L}\p{N}]@)[\p{L}\p{N}][\p{L}\p{N}._-]*/gu, 'tail')
  yield* matches(text, /[\p{L}\p{N}](?:[\p{L}\p{N}'’._/@+-]*[\p{L}\p{N}@+])?/gu, 'word')
}

const NUMBER_IN_ROW = /[£$€¥]?\d[\d.:/-]*\d%?|[£$€¥]?\d%?/g

/** Of people: `A. Rowntree`, `Maria del Mar Ortiz`. */
const NAME =
  /(?:\p{Lu}\.\s?)+\p{Lu}[\p{L}'’-]+|\p{Lu}[\p{L}'’-]+(?:\s(?:de|del|van|von|der|la|le|bin|\p{Lu}\.))*\s\p{Lu}[\p{L}'’-]+/gu

const COMMENT = /^(?:#|\/\/|--|%|;|<!--)\s*(?=\S)/g

function* matches(text: string, pattern: RegExp, kind: string): Generator<Found> {
  for (const { 0: found, index } of text.matchAll(pattern))
    yield { start: index, end: index + found.length, kind }
}

/** What stands behind a name, that without the remark behind it, and what stands behind the last name. */
function* values(text: string): Generator<Found> {
  const [, value] = /^[^:=]{1,60}?["']?\s*(?:=|:(?!\/\/))\s*["']?(.*?)["']?[,;]?$/.exec(text) ?? []
  if (value === undefined) return
  if (value === '') return yield { start: text.length, end: text.length, kind: 'value' }
  const start = text.lastIndexOf(value)
  yield { start, end: start + value.length, kind: 'value' }
  const bare = /^[^#(]*[^#(\s]/.exec(value)?.[0] ?? ''
  if (bare.length < value.length) yield { start, end: start + bare.length, kind: 'value-start' }
  const last = /[\w"']\s*(?:=|:)\s+["']?([^\s,;"'={}()]+)["']?[\])},;]*$/.exec(text)
  if (last?.[1]) {
    const from = text.lastIndexOf(last[1])
    if (from > start) yield { start: from, end: from + last[1].length, kind: 'last-value' }
  }
}

function trimmed(text: string, { start, end }: Stretch): Stretch {
  const part = text.slice(start, end)
  const from = start + part.length - part.trimStart().length
  return part.trim() === '' ? { start, end: start } : { start: from, end: from + part.trim().length }
}

const columnSigns = (column: Column | undefined, asked: ReadonlySet<string>): string[] =>
  column
    ? [
        ...(wordsIn(column.head).some((word) => asked.has(fold(word))) ? ['column-said'] : []),
        ...(column.isClosed ? ['column-closed'] : []),
      ]
    : []

/** Of the line besides the part. */
const restWords = (text: string, start: number, end: number): ReadonlySet<string> =>
  new Set(
    wordsIn(`${text.slice(0, start)} ${text.slice(end)}`.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).map(fold),
  )

const DATE = /\b\d{1,2} (?:[A-Z][a-z]{2,8})(?: \d{4})?\b|\b[A-Z][a-z]{2,8} \d{1,2}(?:,? \d{4})?\b/g

/** Before what is to go: "not 2", "instead of draft", "still says open". */
const DENIES = new Set('not of than from was were says said say still was: isnt no change replace'.split(' '))

function spelledSigns(part: string, said: string): string[] {
  const at = said.indexOf(part.toLowerCase())
  if (at < 0) return ['old-unsaid']
  const before = wordBefore(said, at)
  return [
    'old-said',
    `old-after:${before}`,
    ...(DENIES.has(before) ? ['old-denied'] : []),
    `old-before:${wordAfter(said, at + part.length)}`,
    `old-said-words:${Math.min(4, wordsIn(part).length)}`,
  ]
}

/** The longest runs of words that both texts have; of single words only those that the clause has as they are. */
function sharedRuns(text: string, said: string): Stretch[] {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
  const small = text.toLowerCase()
  const runs: Stretch[] = []
  let reached = 0
  for (let first = 0; first < words.length; first++) {
    const start = words[first]?.index ?? 0
    let best = 0
    for (let last = first; last < Math.min(words.length, first + 14); last++) {
      const end = (words[last]?.index ?? 0) + (words[last]?.[0].length ?? 0)
      if (!said.includes(small.slice(start, end))) break
      if (isWhole(said, small.slice(start, end))) best = end
    }
    if (best <= reached) continue
    reached = best
    if (best - start > 2 || /\d/.test(text.slice(start, best)))
      runs.push(...withSigns(text, start, best, said))
  }
  return runs.toSorted((a, b) => b.end - b.start - a.end + a.start).slice(0, MOST_SHARED)
}

const MOST_SHARED = 6

function isWhole(said: string, part: string): boolean {
  for (let at = said.indexOf(part); at >= 0; at = said.indexOf(part, at + 1))
    if (!/[\p{L}\p{N}]/u.test((said[at - 1] ?? '') + (said[at + part.length] ?? ''))) return true
  return false
}

/** `/health`, `#team`, `'OPEN'`: with the signs before and behind it, where the clause has them, too; also with its full stop. */
function withSigns(text: string, start: number, end: number, said: string): Stretch[] {
  const small = text.toLowerCase()
  const fits = (from: number, to: number): boolean => said.includes(small.slice(from, to))
  let [from, to] = [start, end]
  while (from > 0 && /[^\s\p{L}\p{N}"'`“”‘’([{,;.]/u.test(text[from - 1] ?? '') && fits(from - 1, to)) from--
  while (to < text.length && closes(text.slice(from, to), text[to] ?? '') && fits(from, to + 1)) to++
  const isStopped = /^[.,;:!?]/.test(text.slice(to)) && fits(from, to + 1)
  return [{ start: from, end: to }, ...(isStopped ? [{ start: from, end: to + 1 }] : [])]
}

const closes = (part: string, sign: string): boolean =>
  /[)\]}]/.test(sign) || (/["'`]/.test(sign) && part.split(sign).length % 2 === 0)
