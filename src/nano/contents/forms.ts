/** A text in the form of the file it is written to: with its marker, its next number, what joins its halves, or as a row of its table. Pure. */
import { type FileLook, type Marker, markerIn, type RowTable } from './look.ts'
import { type CellWay, type Row, rowsFor } from './rows.ts'
import type { ContentSpan } from './spans.ts'

export type ContentForm = {
  readonly span: ContentSpan
  readonly text: string
  /** What was made of the words. */
  readonly form: 'said' | 'marked' | 'pair' | 'cells' | 'row' | 'stopped' | 'closed' | 'capital'
  readonly ways: readonly CellWay[]
}

export function contentForms(clause: string, spans: readonly ContentSpan[], look: FileLook): ContentForm[] {
  const { table } = look
  const rows = table ? rowsFor(clause, table).map(ofRow) : []
  return [...spans.flatMap((span) => formsOf(span, look)), ...rows]
}

const ofRow = ({ text, start, end, ways }: Row): ContentForm => ({
  span: { text, start, end, kind: 'span' },
  text,
  form: 'row',
  ways,
})

function formsOf(span: ContentSpan, look: FileLook): ContentForm[] {
  const { text } = span
  const make = (form: ContentForm['form'], made: string): ContentForm => ({
    span,
    text: made,
    form,
    ways: [],
  })
  const lines = text.split('\n')
  const paired = look.pair === undefined ? undefined : pairOf(text, look.pair)
  const cells = look.table && lines.length === 1 ? cellsOf(text, look.table) : undefined
  return [
    make('said', text),
    ...marked(text, look.marker).map((one) => make('marked', one)),
    ...(paired === undefined ? [] : [paired, ...marked(paired, look.marker)].map((one) => make('pair', one))),
    ...(cells === undefined || cells === text ? [] : [make('cells', cells)]),
    ...(look.stops > 1 && /[\p{L}\p{N})]$/u.test(text) ? [make('stopped', `${text}.`)] : []),
    ...(isOpen(text) ? [make('closed', `${text})`)] : []),
    ...(isOpen(text) ? marked(`${text})`, look.marker).map((one) => make('closed', one)) : []),
  ]
}

/** Each line of the text with what the lines of the file begin with; none where it has that already. */
function marked(text: string, { kind, text: marker }: Marker): string[] {
  if (kind === 'none') return []
  const lines = text.split('\n')
  const isMarked = lines.some(
    (line) => line.startsWith(marker.trimEnd()) || (markerIn(line) && kind !== 'indent'),
  )
  if (isMarked) return []
  const first = Number(/\d+/.exec(marker)?.[0] ?? 0)
  return [
    lines
      .map((line, at) => (kind === 'number' ? marker.replace(/\d+/, String(first + at)) : marker) + line)
      .join('\n'),
  ]
}

const HALVES = /\s*(?:[,;:=]|->|=>|\s-|\s–|\bis\b|\bto\b|\bat\b)\s+|=|\s+/

/** "Owner Karin" where the lines are `key: value`. */
function pairOf(text: string, pair: string): string | undefined {
  if (text.includes('\n') || text.includes(pair)) return undefined
  const strong = /\s*(?:[,;:=]|->|=>|\s[-–])\s+|=/.exec(text)
  const weak = /\s+(?:is|to|at|of)\s+/i.exec(text)
  const found = strong ?? weak ?? HALVES.exec(text)
  if (!found || found.index === 0) return undefined
  return text.slice(0, found.index) + pair + text.slice(found.index + found[0].length)
}

/** "5, Ann, Bo" where the cells have no blanks between them. */
function cellsOf(text: string, { columns, joint, open, close, separator }: RowTable): string | undefined {
  // The widths of columns are kept as they are said.
  if (separator === '|' && text.split(separator).length === columns.length) return undefined
  const by = [/\s*[,;|\t]\s*/, /\s*[,;|\t]\s*|\s+[-–]\s+/, /\s+/]
    .map((sign) => text.trim().split(sign))
    .find((cells) => cells.length === columns.length)
  if (!by || by.some((cell) => cell.includes(separator))) return undefined
  return open + by.join(joint) + close
}

const isOpen = (text: string): boolean => text.lastIndexOf('(') > text.lastIndexOf(')')
