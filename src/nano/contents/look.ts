/**
 * How the lines of a file look, so that a new one can be made like them: what they begin with, what stands between their two halves, the
 * columns of their table, whether they end with a full stop. Pure.
 */
import { shapeOf } from '../opinion/shape.ts'

/** What the lines of a list begin with. */
export type MarkerKind = 'bullet' | 'box' | 'number' | 'label' | 'indent' | 'none'

export type Marker = {
  readonly kind: MarkerKind
  /** What a new line begins with. */
  readonly text: string
}

export type TableColumn = {
  readonly head: string
  readonly shape: string
  /** Of the rows, in lower case with the last as it is written. */
  readonly values: ReadonlyMap<string, string>
  /** Few values that come again and again. */
  readonly isClosed: boolean
  /** Of the longest value. */
  readonly words: number
}

export type RowTable = {
  readonly separator: string
  /** Between two cells, before the first and behind the last. */
  readonly joint: string
  readonly open: string
  readonly close: string
  readonly columns: readonly TableColumn[]
}

export type FileLook = {
  readonly lines: readonly string[]
  readonly last: string
  readonly marker: Marker
  readonly table: RowTable | undefined
  /** Between the two halves of most lines: `: `, `=`, ` - `. */
  readonly pair: string | undefined
  /** How many of its lines, from 0 to 3. */
  readonly stops: number
  readonly capitals: number
  readonly words: number
}

const MARKED =
  /^(?<indent>\s*)(?:(?<bullet>[-*+•–]\s+)?(?<box>\[[ xX]\]\s+)|(?<point>[-*+•–]\s+)|(?<number>\d+)(?<dot>[.):]\s+(?:\[[ xX]\]\s+)?))/
const LABELLED = /^(?:\p{Lu}{2,}:?\s+|\p{L}+:\s+|[>/;|]+\s+)/u
const MOST_LINES = 14

export function lookOfFile(text: string): FileLook {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const recent = lines.slice(-MOST_LINES)
  const table = tableIn(lines)
  const bare = recent.map((line) => line.slice(markerIn(line, recent)?.text.length ?? 0))
  const share = (holds: (line: string) => boolean): number =>
    bare.length === 0 ? 0 : Math.round((3 * bare.filter(holds).length) / bare.length)
  return {
    lines: recent,
    last: lines.at(-1) ?? '',
    marker: table ? NO_MARKER : markerOf(recent),
    table,
    pair: table ? undefined : pairIn(bare),
    stops: share((line) => line.trimEnd().endsWith('.')),
    capitals: share((line) => /^\p{Lu}/u.test(line.trim())),
    words: bare.reduce((sum, line) => sum + line.trim().split(/\s+/).length, 0) / Math.max(1, bare.length),
  }
}

const NO_MARKER: Marker = { kind: 'none', text: '' }

/** Of the last line, or of the last one that has any where the others are a list. */
function markerOf(lines: readonly string[]): Marker {
  const marked = lines.slice(-MOST_BEHIND).flatMap((line) => markerIn(line, lines) ?? [])
  return marked.at(-1) ?? NO_MARKER
}

const MOST_BEHIND = 3

/** What the line begins with, as the next one would. */
export function markerIn(line: string, others: readonly string[] = []): Marker | undefined {
  const { indent = '', bullet = '', box, point, number, dot = '. ' } = MARKED.exec(line)?.groups ?? {}
  if (box !== undefined) return { kind: 'box', text: `${indent}${bullet}${box.replace(/x/i, ' ')}` }
  if (point !== undefined) return { kind: 'bullet', text: indent + point }
  if (number !== undefined)
    return { kind: 'number', text: `${indent}${Number(number) + 1}${dot.replace(/x/i, ' ')}` }
  const [label] = LABELLED.exec(line) ?? []
  if (label !== undefined && others.filter((one) => one.startsWith(label)).length > 1)
    return { kind: 'label', text: label }
  const [blank = ''] = /^\s+/.exec(line) ?? []
  return blank === '' ? undefined : { kind: 'indent', text: blank }
}

/** What the text itself begins with. */
export const markerKind = (text: string): MarkerKind => {
  const kind = markerIn(text)?.kind ?? 'none'
  return kind === 'none' && LABELLED.test(text) ? 'label' : kind
}

const PAIRS = [' -> ', ' = ', '=', ': ', ' - ', ' – ', ' | ', ':', ', ', '\t', '  ']

/** Most lines have it, and the same. */
function pairIn(lines: readonly string[]): string | undefined {
  const least = Math.max(2, lines.length * MOST_OF)
  return PAIRS.find((pair) => lines.filter((line) => line.indexOf(pair) > 0).length >= least)
}

const MOST_OF = 0.7

/** Nothing where the file is no table: most lines have as many cells as the first. */
function tableIn(lines: readonly string[]): RowTable | undefined {
  const head = lines.find((line) => /[,;|\t]/.test(line)) ?? ''
  for (const separator of [',', ';', '|', '\t']) {
    const count = head.split(separator).length
    const rows = lines.filter((line) => line.split(separator).length === count)
    const isProse = separator === ',' && rows.some((row) => /, /.test(row)) && !/^[\w ]+,[\w ,]+$/.test(head)
    if (count < 2 || isProse || rows.length < Math.max(1, lines.length * MOST_OF)) continue
    if (count === 2 && rows.length === lines.length && /[,;] /.test(head)) continue
    return toTable(rows, separator)
  }
  return undefined
}

function toTable(rows: readonly string[], separator: string): RowTable {
  const last = rows.at(-1) ?? ''
  const [, before = '', after = ''] = new RegExp(`\\S(\\s*)[${separator}](\\s*)\\S`).exec(last) ?? []
  const isBoxed = separator === '|' && /^\s*\|.*\|\s*$/.test(last)
  const cells = rows.map((row) => cellsIn(row, separator))
  const [heads = []] = cells
  const body = cells.slice(1).filter((row) => !row.every((cell) => /^[:-]*$/.test(cell)))
  return {
    separator,
    joint: separator === '|' ? ' | ' : separator === '\t' ? separator : `${before}${separator}${after}`,
    open: isBoxed ? '| ' : '',
    close: isBoxed ? ' |' : '',
    columns: heads.map((head, at) =>
      columnOf(
        head,
        body.map((row) => row[at] ?? ''),
      ),
    ),
  }
}

export const cellsIn = (row: string, separator: string): string[] =>
  (separator === '|' ? row.trim().replace(/^\||\|$/g, '') : row).split(separator).map((cell) => cell.trim())

/** A status has no more values than this. */
const MOST_VALUES = 8

function columnOf(head: string, cells: readonly string[]): TableColumn {
  const values = new Map(cells.map((cell) => [cell.toLowerCase(), cell]))
  const shapes = new Map<string, number>()
  for (const cell of cells) shapes.set(shapeOf(cell), (shapes.get(shapeOf(cell)) ?? 0) + 1)
  const [shape = 'unknown'] = [...shapes].toSorted(([, a], [, b]) => b - a)[0] ?? []
  return {
    head: head.toLowerCase(),
    shape,
    values,
    isClosed: values.size <= MOST_VALUES && values.size < cells.length,
    words: Math.max(0, ...cells.map((cell) => cell.split(/\s+/).length)),
  }
}
