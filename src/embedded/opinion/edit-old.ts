/** The parts of a line that a change may replace, each with the signs by which the ranking of edits judges it. Pure. */
import { type Column, type EditLine, SEPARATOR, tellingWords } from './edit-lines.ts'
import { fold } from '../nano/lines.ts'
import { type Part, wordAfter, wordBefore } from './part.ts'
import { shapeOf } from './shape.ts'
import { wordsIn } from './tokens.ts'

export type OldPart = Part & {
  readonly kinds: readonly string[]
  /** Words of the line besides it. */
  readonly rest: ReadonlySet<string>
  /** Where it is a cell of a table. */
  readonly column?: Column
}

const MOST = 24

export function oldParts({ text, columns, place }: EditLine, clause: string): OldPart[] {
  const said = clause.toLowerCase()
  const asked = tellingWords(clause)
  const found = new Map<string, OldPart>()
  for (const { column, kind, ...stretch } of stretchesOf(text, columns, said)) {
    const { start, end } = trimmed(text, stretch)
    const key = `${start}:${end}`
    const known = found.get(key)
    if (start === end || (!known && found.size >= MOST)) continue
    const part = text.slice(start, end)
    const { kinds, signs } = known ?? {
      kinds: [],
      signs: [
        `old-shape:${shapeOf(part)}`,
        ...spelledSigns(part, said),
        ...place.map((sign) => `${sign} old:${kind}`),
      ],
    }
    found.set(key, {
      start,
      end,
      text: part,
      rest: known?.rest ?? restWords(text, start, end),
      kinds: [...kinds, `old:${kind}`],
      ...(known?.column && { column: known.column }),
      ...(column && { column }),
      signs: [...signs, `old:${kind}`, ...columnSigns(column, asked)],
    })
  }
  return [...found.values()]
}

type Stretch = { readonly start: number; readonly end: number }
type Found = Stretch & { readonly kind: string; readonly column?: Column }

/** The likeliest first: there may be more than are judged. */
function* stretchesOf(text: string, columns: readonly Column[], said: string): Generator<Found> {
  yield { start: 0, end: text.length, kind: 'line' }
  const bullet = /^(?:[-*•]|\d+[.)]|#+|\[[ x]\]|[-*] \[[ x]\])\s+/i.exec(text)
  if (bullet) yield { start: bullet[0].length, end: text.length, kind: 'item' }
  const box = /\[[ x]\]/i.exec(text)
  if (box) yield { start: box.index, end: box.index + box[0].length, kind: 'box' }
  yield* values(text)
  const cells = cellsOf(text)
  if (cells.length > 2)
    for (const [at, cell] of cells.entries()) {
      const column = columns[at]
      yield { ...cell, kind: 'cell', ...(column && { column }) }
    }
  yield* matches(text, /[£$€¥]?\d[\d.,:/-]*\d%?|[£$€¥]?\d%?/g, 'number')
  for (const run of sharedRuns(text, said)) yield { ...run, kind: 'shared' }
  yield* matches(text, DATE, 'date')
  yield* matches(text, /[\p{L}\p{N}](?:[\p{L}\p{N}'’._/@+-]*[\p{L}\p{N}@+])?/gu, 'word')
}

function* matches(text: string, pattern: RegExp, kind: string): Generator<Found> {
  for (const { 0: found, index } of text.matchAll(pattern))
    yield { start: index, end: index + found.length, kind }
}

/** What stands behind a name, and that without the remark behind it. */
function* values(text: string): Generator<Found> {
  const [, value] = /^[^:=]{1,60}?["']?\s*(?:=|:(?!\/\/))\s*["']?(.+?)["']?[,;]?$/.exec(text) ?? []
  if (value === undefined) return
  const start = text.lastIndexOf(value)
  yield { start, end: start + value.length, kind: 'value' }
  const bare = /^[^#(]*[^#(\s]/.exec(value)?.[0] ?? ''
  if (bare.length < value.length) yield { start, end: start + bare.length, kind: 'value-start' }
}

function trimmed(text: string, { start, end }: Stretch): Stretch {
  const part = text.slice(start, end)
  const from = start + part.length - part.trimStart().length
  return { start: from, end: Math.max(from, from + part.trim().length) }
}

/** Empty ones, too: they are columns. */
function cellsOf(text: string): Stretch[] {
  let start = 0
  return text.split(SEPARATOR).map((cell) => {
    const from = start
    start += cell.length + 1
    return { start: from, end: from + cell.length }
  })
}

const columnSigns = (column: Column | undefined, asked: ReadonlySet<string>): string[] =>
  column && wordsIn(column.head).some((word) => asked.has(fold(word))) ? ['column-said'] : []

/** Of the line besides the part. */
const restWords = (text: string, start: number, end: number): ReadonlySet<string> =>
  new Set(
    wordsIn(`${text.slice(0, start)} ${text.slice(end)}`.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).map(fold),
  )

const DATE = /\b\d{1,2} (?:[A-Z][a-z]{2,8})(?: \d{4})?\b|\b[A-Z][a-z]{2,8} \d{1,2}(?:,? \d{4})?\b/g

function spelledSigns(part: string, said: string): string[] {
  const at = said.indexOf(part.toLowerCase())
  if (at < 0) return ['old-unsaid']
  const before = wordBefore(said, at)
  return [
    'old-said',
    `old-after:${before}`,
    `old-before:${wordAfter(said, at + part.length)}`,
    `old-said-words:${Math.min(4, wordsIn(part).length)}`,
  ]
}

/** The longest runs of two words or more that both texts have. */
function sharedRuns(text: string, said: string): Stretch[] {
  const words = [...text.matchAll(/[\p{L}\p{N}'’._-]+/gu)]
  const runs: Stretch[] = []
  for (let first = 0; first < words.length; first++) {
    let best = -1
    for (let last = first + 1; last < Math.min(words.length, first + 12); last++) {
      const start = words[first]?.index ?? 0
      const end = (words[last]?.index ?? 0) + (words[last]?.[0].length ?? 0)
      if (!said.includes(text.slice(start, end).toLowerCase())) break
      best = end
    }
    if (best > 0) runs.push({ start: words[first]?.index ?? 0, end: best })
  }
  return runs.slice(0, 4)
}
