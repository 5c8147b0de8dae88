/** A file of data as a person first looks at it: its top, its end, its size, its columns. Read as a stream, never whole. */
import { extname } from 'node:path'
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool, type ToolContext } from '../protocol/tool.ts'
import { clip, plural } from '../lib/text.ts'
import { cellText, ColumnSummary, toCopy } from './data-view/describe.ts'
import { MAX_ROWS, querySql } from './data-view/sql.ts'
import { type Cell, openTable, type Row, type Table } from './data-view/table.ts'

const views = ['head', 'tail', 'shape', 'columns', 'describe'] as const
type View = (typeof views)[number]

export const dataViewTool = defineTool({
  name: 'data_view',
  // As an enumeration the views would cost more than a tool may.
  description: 'CSV, JSON: head tail shape columns describe',
  category: 'read',
  input: z.object({ path: z.string(), view: z.string().default('head'), sql: z.string().default('') }),
  paths: ['path'],
  timeoutMs: 300_000,
  access: ({ path }) => [{ kind: 'read', target: path }],

  async run({ path, view, sql }, context) {
    const info = await context.files.info(path)
    if (info?.kind === 'folder') throw new AppError('tool-failed', `${path} is a folder; use list_files.`)
    const isParquet = extname(path).toLowerCase() === '.parquet'
    const wanted = requireView(view)
    if (sql !== '' || isParquet) return showSql(path, sql || parquetQueries[wanted], context)
    const table = openTable(path, context.files.stream(path, context.signal))
    const lines = await viewers[wanted](table, info?.bytes ?? 0)
    const text = [...lines, ...table.problems().map((problem) => `[${problem}]`)].join('\n')
    return text.trim() === '' ? `${path} has no rows.` : text
  },
})

function requireView(name: string): View {
  const view = views.find((one) => one === name.trim().toLowerCase())
  if (view) return view
  throw new AppError('tool-failed', `There is no view "${name}"; there are ${views.join(', ')}.`, {
    failure: 'bad-arguments',
  })
}

const SHOWN_ROWS = 10

const parquetQueries: Readonly<Record<View, string>> = {
  head: `SELECT * FROM data LIMIT ${SHOWN_ROWS}`,
  tail: `SELECT * FROM data OFFSET (SELECT greatest(count(*) - ${SHOWN_ROWS}, 0) FROM data)`,
  shape: 'SELECT count(*) AS rows FROM data',
  columns: 'SELECT column_name, column_type FROM (DESCRIBE data)',
  describe: 'SELECT * FROM (SUMMARIZE data)',
}

async function showSql(path: string, sql: string, context: ToolContext): Promise<string> {
  const { columns, rows } = await querySql(path, sql, context)
  const shown = rows.slice(0, MAX_ROWS) as readonly Row[]
  const more = rows.length > MAX_ROWS ? [`[only the first ${MAX_ROWS} rows]`] : []
  return [...toLines(columns, shown), ...more].join('\n')
}

type Viewer = (table: Table, bytes: number) => Promise<readonly string[]>

/** Enough to tell what a column holds. */
const SAMPLE_ROWS = 1000

const viewers: Readonly<Record<View, Viewer>> = {
  async head(table) {
    const rows = await firstRows(table, SHOWN_ROWS + 1)
    const more = rows.length > SHOWN_ROWS ? [`[first ${SHOWN_ROWS} rows; shape counts them]`] : []
    return [...toLines(table.columns(), rows.slice(0, SHOWN_ROWS)), ...more]
  },
  async tail(table) {
    let count = 0
    let rows: readonly Row[] = []
    for await (const batch of table.batches) {
      count += batch.length
      rows = [...rows, ...batch.slice(-SHOWN_ROWS).map(toKeptRow)].slice(-SHOWN_ROWS)
    }
    return [...toLines(table.columns(), rows), `[last of ${plural(count, 'row')}]`]
  },
  async shape(table, bytes) {
    let count = 0
    for await (const batch of table.batches) count += batch.length
    const size = bytes < MEGABYTE ? `${bytes} bytes` : `${(bytes / MEGABYTE).toFixed(1)} MB`
    return [
      `${plural(count, 'row')}, ${plural(table.columns().length, 'column')}, ${size}, ${table.format()}`,
    ]
  },
  async columns(table) {
    const { summaries } = await summarise(table, SAMPLE_ROWS)
    return table.columns().map((name, index) => {
      const { type, example } = summaries[index]?.kind() ?? EMPTY
      return `${name}: ${type}${example === undefined ? '' : `, such as ${shownCell(example)}`}`
    })
  },
  async describe(table) {
    const { count, summaries } = await summarise(table)
    const lines = table.columns().map((name, index) => `${name}: ${summaries[index]?.text() ?? 'empty'}`)
    return [plural(count, 'row'), ...lines]
  },
}

const MEGABYTE = 1_000_000
const EMPTY = { type: 'empty', example: undefined }

/** As much as is shown of it. */
const toKeptRow = (row: Row): Row => Array.from(row, (cell) => toCopy(cellText(cell), SHOWN_CHARACTERS))

async function firstRows(table: Table, limit: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for await (const batch of table.batches) {
    rows.push(...batch.slice(0, limit - rows.length))
    if (rows.length >= limit) break
  }
  return rows
}

async function summarise(
  table: Table,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly count: number; readonly summaries: readonly ColumnSummary[] }> {
  const summaries: ColumnSummary[] = []
  let count = 0
  for await (const batch of table.batches) {
    const rows = batch.slice(0, limit - count)
    const width = table.columns().length
    while (summaries.length < width) summaries.push(new ColumnSummary(table.isText, count))
    for (const row of rows) {
      for (let index = 0; index < summaries.length; index++) summaries[index]?.add(row[index])
    }
    count += rows.length
    if (count >= limit) break
  }
  return { count, summaries }
}

const SHOWN_COLUMNS = 30
const SHOWN_CHARACTERS = 60

function toLines(columns: readonly string[], rows: readonly Row[]): readonly string[] {
  const width = Math.max(columns.length, ...rows.map((row) => row.length))
  if (width === 0) return []
  const toLine = (cells: Row): string =>
    Array.from({ length: Math.min(width, SHOWN_COLUMNS) }, (_, index) => shownCell(cells[index])).join(' | ')
  const more = width > SHOWN_COLUMNS ? [`[${plural(width - SHOWN_COLUMNS, 'more column')}]`] : []
  return [toLine(columns), ...rows.map(toLine), ...more]
}

/** On one line, and not to be taken for two cells. */
function shownCell(cell: Cell): string {
  const text = clip(cellText(cell), SHOWN_CHARACTERS)
  return /[|\n\r\t]/.test(text) ? JSON.stringify(text) : text
}
