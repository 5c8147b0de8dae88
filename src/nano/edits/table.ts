/** A line as a row of a table: its cells, and what else stands in their columns. Pure. */

export type Column = {
  readonly head: string
  /** Of the other rows, in lower case. */
  readonly values: ReadonlySet<string>
  /** Few values that come again and again: a status, not a name. */
  readonly isClosed: boolean
}

export type Stretch = { readonly start: number; readonly end: number }

const SEPARATOR = /[,;|\t]/
/** A status has no more values than this. */
const MOST_VALUES = 6

export type Table = { readonly head: readonly string[]; readonly columns: readonly Column[] }

/** Nothing where the file is no table: most lines must have the cells that the head has. */
export function tableOf(text: string): Table | undefined {
  const rows = text
    .split('\n')
    .filter((row) => SEPARATOR.test(row))
    .map((row) => row.split(SEPARATOR).map((cell) => cell.trim()))
  const [head = []] = rows
  if (head.length < 3) return undefined
  const body = rows.slice(1).filter((row) => row.length === head.length && !isRule(row))
  const columns = head.map((name, at) => {
    const cells = body.map((row) => (row[at] ?? '').toLowerCase())
    const values = new Set(cells)
    return {
      head: name.toLowerCase(),
      values,
      isClosed: values.size <= MOST_VALUES && values.size < cells.length,
    }
  })
  return { head, columns }
}

/** The line below the head of a table in Markdown. */
const isRule = (row: readonly string[]): boolean => row.every((cell) => /^[:-]*$/.test(cell))

export const columnsFor = (line: string, table: Table | undefined): readonly Column[] =>
  table && line.split(SEPARATOR).length === table.head.length ? table.columns : []

/** Empty ones, too: they are columns. */
export function cellsOf(text: string): Stretch[] {
  let start = 0
  return text.split(SEPARATOR).map((cell) => {
    const from = start
    start += cell.length + 1
    return { start: from, end: from + cell.length }
  })
}

/** What a row is known by. */
export const keyOf = (text: string): string =>
  text
    .split(SEPARATOR)
    .map((cell) => cell.trim())
    .find((cell) => cell !== '') ?? ''
