/**
 * A new row of a table, put together from what a clause says: for each column the words that may stand in it, in the column's own form,
 * and the rows in which no words are used twice. Pure.
 */
import { numberWords } from '../request/words.ts'
import type { RowTable, TableColumn } from './look.ts'
import { shapeOf } from '../opinion/shape.ts'

export type Row = {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Of each column, how its cell came about. */
  readonly ways: readonly CellWay[]
}

export type CellWay = 'said' | 'headed' | 'unit' | 'known' | 'short' | 'date' | 'empty'

type Cell = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly way: CellWay
  readonly score: number
}

type Words = readonly {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly chunk: number
}[]

const MOST_COLUMNS = 9
const MOST_CELLS = 9
const MOST_BEAM = 40
const MOST_ROWS = 16

export function rowsFor(clause: string, table: RowTable): Row[] {
  const { columns } = table
  if (columns.length > MOST_COLUMNS) return []
  const words = wordsOf(clause)
  const heads = new Set(
    columns.flatMap(({ head }) => head.split(/[^\p{L}]+/u)).filter((word) => word.length > 2),
  )
  const cells = columns.map((column) => cellsFor(column, { words, clause, heads }))
  let beam: Partial[] = [{ cells: [], score: 0 }]
  for (const own of cells)
    beam = beam
      .flatMap((row) => own.flatMap((cell) => withCell(row, cell)))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MOST_BEAM)
  return beam.slice(0, MOST_ROWS).flatMap((row) => toRow(row.cells, table))
}

type Partial = { readonly cells: readonly Cell[]; readonly score: number }

function withCell({ cells, score }: Partial, cell: Cell): Partial[] {
  const isTaken =
    cell.way !== 'empty' &&
    cells.some((one) => one.way !== 'empty' && one.start < cell.end && cell.start < one.end)
  if (isTaken) return []
  const last = cells.findLast(({ way }) => way !== 'empty')
  const isNext = last !== undefined && cell.way !== 'empty' && cell.start >= last.end
  const gap = isNext && last ? cell.start - last.end : 99
  return [
    { cells: [...cells, cell], score: score + cell.score + (isNext ? IN_TURN : 0) + (gap < 4 ? BESIDE : 0) },
  ]
}

const IN_TURN = 0.7
const BESIDE = 0.4

function toRow(cells: readonly Cell[], { joint, open, close }: RowTable): Row[] {
  const said = cells.filter(({ way }) => way !== 'empty')
  if (said.length < Math.min(2, cells.length)) return []
  const text = open + cells.map((cell) => cell.text).join(joint) + close
  const start = Math.min(...said.map((cell) => cell.start))
  const end = Math.max(...said.map((cell) => cell.end))
  return [{ text, start, end, ways: cells.map(({ way }) => way) }]
}

/** Between commas and the like a clause falls into chunks; no cell goes beyond one. */
function wordsOf(clause: string): Words {
  let chunk = 0
  return Array.from(clause.matchAll(/\S+/g), ({ 0: word, index }) => {
    const before = /^["'“‘`([]*/.exec(word)?.[0].length ?? 0
    const after = /["'”’`)\],;:.!?]*$/.exec(word.slice(before))?.[0].length ?? 0
    const text = word.slice(before, word.length - after)
    const own = chunk + (before > 0 ? 1 : 0)
    chunk = own + (after > 0 || text === '' ? 1 : 0)
    return { text, start: index + before, end: index + word.length - after, chunk: own }
  }).filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
}

type Said = { readonly words: Words; readonly clause: string; readonly heads: ReadonlySet<string> }

const MOST_WORDS = 6

function cellsFor(column: TableColumn, said: Said): Cell[] {
  const { words, clause, heads } = said
  const found = words.flatMap((first, from) =>
    words.slice(from, from + MOST_WORDS).flatMap((last, more) => {
      if (last.chunk !== first.chunk) return []
      const text = clause.slice(first.start, last.end)
      const place = { start: first.start, end: last.end }
      const before = words[from - 1]
      const after = words[from + more + 1]
      const isWhole = before?.chunk !== first.chunk && after?.chunk !== last.chunk
      const headed = [before, after].some(
        (one) => one?.chunk === first.chunk && isHead(one.text, column.head),
      )
      const around = Number(isWhole) * WHOLE + Number(headed) * HEADED - ofWords(text, heads)
      return formsIn(column, text, headed).map((form) => ({ ...form, ...place, score: form.score + around }))
    }),
  )
  const isBlank = column.values.has('')
  const empty: Cell = { text: '', start: 0, end: 0, way: 'empty', score: isBlank ? BLANK : NOTHING }
  return [...bestOf(found), empty]
}

const WHOLE = 1.4
const HEADED = 1.8
const BLANK = -0.6
const NOTHING = -3

/** The best of each text. */
const bestOf = (cells: readonly Cell[]): Cell[] =>
  cells.toSorted((a, b) => b.score - a.score).slice(0, MOST_CELLS)

const isHead = (word: string, head: string): boolean =>
  word.length > 2 &&
  head
    .split(/[^\p{L}]+/u)
    .some(
      (part) =>
        part.length > 2 && (part.startsWith(word.toLowerCase()) || word.toLowerCase().startsWith(part)),
    )

const LEADS =
  /\b(?:add|append|put|write|note|stick|insert|row|line|list|file|end|bottom|table|sheet|please|pls|new|the|to|in|for|of|at|on|with|and|a|an|is|was|she|he|her|him|his|my|our|i|we|it|there|too|also|who|goes|gets|got|has|same|as|like|that|from|last|under)\b/gi

const ofWords = (text: string, heads: ReadonlySet<string>): number =>
  Math.min(2.4, 0.6 * (text.match(LEADS)?.length ?? 0)) +
  (heads.has(text.toLowerCase().split(/\s+/)[0] ?? '') ? 0.5 : 0)

type Form = Pick<Cell, 'text' | 'way' | 'score'>

/** What the words are in the column. */
function formsIn(column: TableColumn, text: string, headed: boolean): Form[] {
  const lower = text.toLowerCase()
  const known = column.values.get(lower)
  const shape = shapeOf(text)
  const isNumeric = column.shape === 'number'
  const said: Form = { text, way: headed ? 'headed' : 'said', score: saidScore(column, text, shape) }
  const bare = isNumeric ? unitless(text) : undefined
  const short = column.isClosed && known === undefined ? shortOf(column, lower) : undefined
  const date = column.shape === 'date' ? dateIn(column, text) : undefined
  return [
    ...(known === undefined
      ? [said]
      : [{ text: known, way: 'known' as const, score: column.isClosed ? 2.6 : 1.2 }]),
    ...(known !== undefined && known !== text ? [{ ...said, score: said.score - 0.4 }] : []),
    ...(bare === undefined ? [] : [{ text: bare, way: 'unit' as const, score: 1.9 }]),
    ...(short === undefined ? [] : [{ text: short, way: 'short' as const, score: 1.3 }]),
    ...(date === undefined ? [] : [{ text: date, way: 'date' as const, score: 2 }]),
  ]
}

function saidScore({ shape: wanted, isClosed }: TableColumn, text: string, shape: string): number {
  if (shape === wanted) return isClosed && !/\d/.test(text) ? 0.2 : 1.8
  const isText = (one: string): boolean =>
    ['word', 'words', 'name', 'unknown', 'capitals', 'bool'].includes(one)
  if (wanted === 'unknown' || wanted === 'empty') return 0.4
  if (isText(wanted) && isText(shape)) return isClosed ? -0.6 : 1
  return -1.6
}

/** "25 mins", "12 quid", "eight". */
function unitless(text: string): string | undefined {
  const spoken = numberWords.get(text.toLowerCase())
  if (spoken !== undefined && /^\p{L}+$/u.test(text)) return String(spoken)
  const found = /^[£$€¥#x~]?\s?(\d[\d.,]*)\s?[\p{L}%°€£$]{1,10}\.?$|^[£$€¥#x~]\s?(\d[\d.,]*)$/u.exec(text)
  return found?.[1] ?? found?.[2]
}

/** "In English" where others have `en`, "night" where others have `N`. */
function shortOf({ values }: TableColumn, lower: string): string | undefined {
  const fitting = [...values].filter(
    ([value]) =>
      value !== '' &&
      ((lower.startsWith(value) && !/\d/.test(value)) || (lower.length > 2 && value.startsWith(lower))),
  )
  return fitting.length === 1 ? fitting[0]?.[1] : undefined
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** "8 june" in a column of 2024-06-04. */
function dateIn({ values }: TableColumn, text: string): string | undefined {
  const last = [...values.values()].at(-1) ?? ''
  const [, year] = /^(\d{4})-\d\d-\d\d$/.exec(last) ?? []
  const { d, m, n, e } =
    /^(?:(?<d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<m>\p{L}{3,9})|(?<n>\p{L}{3,9}) (?<e>\d{1,2})(?:st|nd|rd|th)?)$/u.exec(
      text,
    )?.groups ?? {}
  const month = MONTHS.indexOf((m ?? n ?? '').slice(0, 3).toLowerCase())
  const day = d ?? e
  if (year === undefined || month < 0 || day === undefined) return undefined
  return `${year}-${String(month + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}
