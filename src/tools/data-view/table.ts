/**
 * A file as a table that is read once, from the first row to the last or until the reader has seen enough. Whatever the
 * format: named columns, rows in batches, and what was wrong with the file.
 */
import { extname } from 'node:path'
import { TextDecoder } from 'node:util'
import { AppError } from '../../protocol/error.ts'
import { isObject } from '../../lib/json.ts'
import { looksBinary, plural } from '../../lib/text.ts'
import { CsvParser, type CsvRow, isHeader, sniffSeparator } from './csv.ts'
import { JsonSplitter, LineSplitter, type ValueSplitter } from './json.ts'

/** `undefined`: the row has no such field. A text of a CSV file may stand for anything; one of a JSON file is a text. */
export type Cell = string | number | boolean | object | null | undefined
export type Row = readonly Cell[]

export interface Table {
  /** As far as is known: JSON rows may bring new ones. */
  columns(): readonly string[]
  /** `CSV with ";"`, `JSON Lines`. */
  format(): string
  readonly batches: AsyncIterable<readonly Row[]>
  /** What is to be said about the part that was read. */
  problems(): readonly string[]
  /** Cells are only texts, so their kinds have to be guessed. */
  readonly isText: boolean
}

export function openTable(path: string, bytes: AsyncIterable<Uint8Array>): Table {
  const texts = decode(path, bytes)
  const extension = extname(path).toLowerCase()
  if (extension === '.jsonl' || extension === '.ndjson') return jsonTable(texts, new LineSplitter())
  if (extension === '.json') return jsonTable(texts, new JsonSplitter())
  return csvTable(texts)
}

/** Bytes that are no UTF-8 become a sign for "unknown"; UTF-16 says what it is at its start. */
async function* decode(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const piece of bytes) {
    decoder ??= decoderFor(path, piece)
    yield decoder.decode(piece, { stream: true })
  }
  yield decoder?.decode() ?? ''
}

function decoderFor(path: string, start: Uint8Array): TextDecoder {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder('utf-16le')
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be')
  if (!looksBinary(start)) return new TextDecoder()
  throw new AppError(
    'tool-failed',
    `${path} is a binary file; data_view reads CSV, TSV, JSON and JSON Lines, and Parquet with sql.`,
  )
}

/** As much as the separator is guessed from. */
const SAMPLE = 64 * 1024

function csvTable(texts: AsyncIterable<string>): Table {
  let columns: readonly string[] | undefined
  let format = 'CSV'
  /** Lines end as they did on old Macs, and as some spreadsheets still write them. */
  let onlyReturns = false
  const problems = createProblems()

  function take(rows: readonly CsvRow[]): readonly CsvRow[] {
    const [first, second] = rows
    if (columns || !first) return counted(rows)
    const hasHeader = isHeader(first, second)
    columns = first.map((name, index) => (hasHeader && name.trim() !== '' ? name : `column${index + 1}`))
    return counted(hasHeader ? rows.slice(1) : rows)
  }

  function counted(rows: readonly CsvRow[]): readonly CsvRow[] {
    for (const row of rows) problems.count(row.length !== columns?.length)
    return rows
  }

  async function* batches(): AsyncGenerator<readonly Row[]> {
    let parser: CsvParser | undefined
    for await (const text of texts) {
      parser ??= begin(text)
      yield take(parser.push(onlyReturns ? text.replaceAll('\r', '\n') : text))
    }
    const { rows, unclosed } = parser?.end() ?? { rows: [], unclosed: false }
    yield take(rows)
    if (unclosed)
      problems.add('a quote is opened and never closed, so the last row holds everything after it')
    if (parser?.clipped) problems.add(`${plural(parser.clipped, 'huge field')} cut`)
  }

  function begin(text: string): CsvParser {
    const sample = text.slice(0, SAMPLE)
    onlyReturns = sample.includes('\r') && !sample.includes('\n')
    const separator = sniffSeparator(onlyReturns ? sample.replaceAll('\r', '\n') : sample)
    format = separator === '\t' ? 'TSV' : `CSV with "${separator}"`
    return new CsvParser(separator)
  }

  return {
    columns: () => columns ?? [],
    format: () => format,
    batches: batches(),
    problems: () => problems.list('another number of fields than there are columns'),
    isText: true,
  }
}

const MAX_COLUMNS = 1000

function jsonTable(texts: AsyncIterable<string>, splitter: ValueSplitter): Table {
  const columns = new Map<string, number>()
  const problems = createProblems()
  let dropped = false

  function toRows(values: readonly (string | undefined)[]): readonly Row[] {
    return values.flatMap((text) => {
      const value = parse(text)
      problems.count(value === undefined)
      return value === undefined ? [] : [toRow(value)]
    })
  }

  function toRow(value: unknown): Row {
    const row: Cell[] = []
    for (const [name, cell] of isObject(value) ? Object.entries(value) : [['value', value] as const]) {
      const index = columns.get(name) ?? columns.size
      if (index >= MAX_COLUMNS) dropped = true
      else {
        columns.set(name, index)
        row[index] = cell as Cell
      }
    }
    return row
  }

  async function* batches(): AsyncGenerator<readonly Row[]> {
    for await (const text of texts) yield toRows(splitter.push(text))
    yield toRows(splitter.end())
    if (splitter.isOpen()) problems.add('the file ends before its list does: something is missing')
    if (dropped) problems.add(`there are more than ${MAX_COLUMNS} columns; the others were left out`)
  }

  return {
    columns: () => [...columns.keys()],
    format: () => (splitter instanceof LineSplitter ? 'JSON Lines' : 'JSON'),
    batches: batches(),
    problems: () => problems.list('no JSON, or more than 1 MiB of it, and left out; python can read those'),
    isText: false,
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** Counts the rows that are broken and remembers the first. */
function createProblems() {
  const others: string[] = []
  let rows = 0
  let broken = 0
  let first = 0
  return {
    count(isBroken: boolean): void {
      rows++
      if (!isBroken) return
      if (broken++ === 0) first = rows
    },
    add: (problem: string): void => void others.push(problem),
    list: (what: string): readonly string[] => [
      ...(broken > 0 ? [`${plural(broken, 'row')} (the first is row ${first}): ${what}`] : []),
      ...others,
    ],
  }
}
