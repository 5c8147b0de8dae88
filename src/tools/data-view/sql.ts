/**
 * SQL over one file, by DuckDB where it is installed. It runs in a child process, confined as commands are, and may read
 * that one file and nothing else: no other path, no network, no extension, and only a single SELECT.
 */
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../protocol/error.ts'
import type { ToolContext } from '../../protocol/tool.ts'
import { isObject, readJson } from '../../lib/json.ts'
import { dependencyFile } from '../../lib/package-files.ts'
import { clip } from '../../lib/text.ts'

const LIMIT_MS = 60_000
const MAX_COMPLAINT = 2_000
export const MAX_ROWS = 100
/** So that the answer stays whole, however wide the table and long its cells. */
const MAX_COLUMNS = 200
const MAX_CELL = 100

export type SqlAnswer = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** In the query the file is called `data`. */
export async function querySql(path: string, sql: string, context: ToolContext): Promise<SqlAnswer> {
  const place = join(context.files.root, path)
  const argv = [
    process.execPath,
    '--no-warnings',
    '--input-type=module',
    '-e',
    PROGRAM,
    requireDuckdb(),
    place,
    readerOf(path),
    sql,
  ]
  const { exitCode, output, timedOut } = await context.exec.program(argv, {
    timeoutMs: LIMIT_MS,
    signal: context.signal,
  })
  if (timedOut) {
    throw new AppError('tool-failed', `The query took longer than ${LIMIT_MS / 1000} s.`, {
      failure: 'timeout',
    })
  }
  const answer = exitCode === 0 ? readJson(output) : undefined
  if (answer?.ok && isObject(answer.value)) return answer.value as SqlAnswer
  throw new AppError('tool-failed', clip(output.trim(), MAX_COMPLAINT) || 'DuckDB ended without an answer.')
}

/** Only one beside Covey itself counts: a package of the project is the project's code. */
function requireDuckdb(): string {
  try {
    return pathToFileURL(dependencyFile('@duckdb/node-api')).href
  } catch {
    throw new AppError(
      'tool-failed',
      'sql and Parquet need DuckDB, which is not installed; the person can add it with npm install -g @duckdb/node-api. ' +
        'Without it use view, or python.',
    )
  }
}

function readerOf(path: string): string {
  const extension = extname(path).toLowerCase()
  if (extension === '.parquet') return 'read_parquet'
  return ['.json', '.jsonl', '.ndjson'].includes(extension) ? 'read_json_auto' : 'read_csv_auto'
}

const PROGRAM = `
const [, url, path, reader, sql] = process.argv
const module = await import(url)
const { DuckDBInstance, StatementType } = module.DuckDBInstance ? module : module.default
const quoted = "'" + path.replaceAll("'", "''") + "'"
try {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' })
  const connection = await instance.connect()
  await connection.run('SET allowed_paths = [' + quoted + ']')
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
  await connection.run('CREATE VIEW data AS SELECT * FROM ' + reader + '(' + quoted + ')')
  const statements = await connection.extractStatements(sql)
  if (statements.count !== 1) throw new Error('Give one statement; this is ' + statements.count + '.')
  const prepared = await statements.prepare(0)
  if (prepared.statementType !== StatementType.SELECT) throw new Error('Only SELECT is possible; the file is called data.')
  const result = await prepared.streamAndReadUntil(${MAX_ROWS + 1})
  const shown = (cell) => {
    const text = typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell
    return typeof text === 'string' && text.length > ${MAX_CELL} ? text.slice(0, ${MAX_CELL}) + '…' : cell
  }
  const columns = result.columnNames().slice(0, ${MAX_COLUMNS})
  const rows = result.getRowsJson().map((row) => row.slice(0, ${MAX_COLUMNS}).map(shown))
  console.log(JSON.stringify({ columns, rows }))
} catch (error) {
  console.log(error.message)
  process.exitCode = 1
}
`
