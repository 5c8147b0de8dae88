/**
 * Facts as rows. Everything here is synchronous and runs inside `KeptDatabase.use`. Only living facts have words in the
 * index, so whatever was superseded cannot be found. A removed fact leaves nothing but the gap in the numbers.
 */
import { shortHash } from '../lib/hash.ts'
import type { Database } from './database.ts'
import type { FactKind } from '../protocol/fact-kinds.ts'
import type { Fact, FactDraft } from './fact.ts'
import { VECTOR_TABLE } from './meaning.ts'
import { countTerms, noteTerms, scopedWords, type TermChanges, wordTables } from './word-search.ts'
import { termsOf } from './words.ts'

export const FACT_VERSION = 1

export const FACT_SCHEMA = `
CREATE TABLE fact (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  lesson TEXT,
  source TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  identity TEXT NOT NULL,
  topic TEXT NOT NULL,
  value TEXT NOT NULL,
  superseded_by INTEGER
);
CREATE INDEX fact_identity ON fact (project, identity) WHERE superseded_by IS NULL;
CREATE INDEX fact_topic ON fact (project, topic) WHERE superseded_by IS NULL;
CREATE INDEX fact_use ON fact (uses, used_at);
${wordTables('fact', 'words')}
${VECTOR_TABLE}
`

/** The namespace of what holds everywhere. */
export const GLOBAL = ''

/** A namespace as the index writes it; letters and digits only. */
export const scopeOf = (project: string): string => (project === GLOBAL ? 'g' : `p${shortHash(project)}`)

const LIVING = 'superseded_by IS NULL'

export type FactRow = {
  readonly id: number
  readonly project: string
  readonly kind: FactKind
  readonly text: string
  readonly lesson: string | null
  readonly source: string
  readonly added_at: number
  readonly used_at: number
  readonly uses: number
  readonly superseded_by: number | null
}

export const toFact = (row: FactRow): Fact => ({
  id: row.id,
  kind: row.kind,
  text: row.text,
  ...(row.lesson !== null && { lesson: JSON.parse(row.lesson) as NonNullable<Fact['lesson']> }),
  isGlobal: row.project === GLOBAL,
  source: row.source,
  addedAt: row.added_at,
  usedAt: row.used_at,
  uses: row.uses,
  ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
})

export type FactSource = { readonly project: string; readonly source: string; readonly now: number }

export type Written = {
  readonly id: number
  readonly outcome: 'stored' | 'known'
  /** Facts this one took the place of. */
  readonly replaced: readonly number[]
}

/** Inside a transaction. */
export function writeFact(database: Database, draft: FactDraft, place: FactSource): Written {
  const [known] = database.rows<{ id: number }>(
    `SELECT id FROM fact WHERE project = ? AND identity = ? AND ${LIVING}`,
    place.project,
    shortHash(draft.identity),
  )
  if (known) {
    touchFacts(database, [known.id], place.now)
    return { id: known.id, outcome: 'known', replaced: [] }
  }
  const replaced = database.rows<FactRow>(
    `SELECT * FROM fact WHERE project = ? AND topic = ? AND value <> ? AND ${LIVING}`,
    place.project,
    shortHash(draft.topic),
    shortHash(draft.value),
  )
  const id = insertFact(database, draft, place)
  for (const older of replaced) {
    database.run('UPDATE fact SET superseded_by = ? WHERE id = ?', id, older.id)
    unlist(database, older)
  }
  return { id, outcome: 'stored', replaced: replaced.map((older) => older.id) }
}

function insertFact(database: Database, draft: FactDraft, { project, source, now }: FactSource): number {
  const id = database.run(
    `INSERT INTO fact (project, kind, text, lesson, source, added_at, used_at, uses, identity, topic, value)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
    project,
    draft.kind,
    draft.text,
    draft.lesson ? JSON.stringify(draft.lesson) : null,
    source,
    now,
    now,
    shortHash(draft.identity),
    shortHash(draft.topic),
    shortHash(draft.value),
  )
  const words = scopedWords(draft.terms, scopeOf(project))
  database.run('INSERT INTO fact_words (rowid, words) VALUES (?, ?)', id, words)
  countFact(database, draft.terms, 1)
  return id
}

function unlist(database: Database, { id, text }: Pick<FactRow, 'id' | 'text'>): void {
  database.run('DELETE FROM fact_words WHERE rowid = ?', id)
  database.run('DELETE FROM vector WHERE fact = ?', id)
  countFact(database, termsOf(text), -1)
}

function countFact(database: Database, terms: readonly string[], step: 1 | -1): void {
  const changes: TermChanges = new Map()
  noteTerms(changes, terms, step)
  countTerms(database, 'fact', changes)
}

export function touchFacts(database: Database, ids: readonly number[], now: number): void {
  database.run(
    'UPDATE fact SET uses = uses + 1, used_at = ? WHERE id IN (SELECT value FROM json_each(?))',
    now,
    JSON.stringify(ids),
  )
}

/** Inside a transaction. */
export function removeFact(database: Database, id: number): boolean {
  const [row] = database.rows<FactRow>('SELECT * FROM fact WHERE id = ?', id)
  if (!row) return false
  if (row.superseded_by === null) unlist(database, row)
  database.run('DELETE FROM fact WHERE id = ?', id)
  return true
}

/** Deleted words stay in the index until its parts are merged; what a person removed must not be found in the file. */
export function eraseTraces(database: Database): void {
  for (const table of ['fact_words', 'fact_trigram'])
    database.run(`INSERT INTO ${table} (${table}) VALUES ('optimize')`)
}

/**
 * Beyond `keep` facts those go that were superseded, then those least used and longest ago; never the newest, which
 * had no chance to be used yet. Inside a transaction.
 */
export function pruneFacts(database: Database, keep: number, newest: number): void {
  const [counted] = database.rows<{ count: number }>('SELECT count(*) AS count FROM fact')
  const excess = (counted?.count ?? 0) - keep
  if (excess <= 0) return
  const rows = database.rows<{ id: number }>(
    'SELECT id FROM fact WHERE id <> ? ORDER BY superseded_by IS NULL, uses, used_at, id LIMIT ?',
    newest,
    excess,
  )
  for (const { id } of rows) removeFact(database, id)
}

export const factsById = (database: Database, ids: readonly number[]): readonly FactRow[] =>
  database.rows<FactRow>(
    `SELECT * FROM fact WHERE ${LIVING} AND id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )

export const listFacts = (database: Database, projects: readonly string[]): readonly FactRow[] =>
  database.rows<FactRow>(
    'SELECT * FROM fact WHERE project IN (SELECT value FROM json_each(?)) ORDER BY id',
    JSON.stringify(projects),
  )

export const isListed = (database: Database, id: number, projects: readonly string[]): boolean =>
  database.rows(
    'SELECT id FROM fact WHERE id = ? AND project IN (SELECT value FROM json_each(?))',
    id,
    JSON.stringify(projects),
  ).length > 0

/** How many ids were ever given: an upper bound of the facts there are, known at once. */
export const lastFactId = (database: Database): number =>
  database.rows<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'fact'`)[0]?.seq ?? 0

/** New ids begin after this one. */
export function raiseFactId(database: Database, id: number): void {
  const changed = database.rows(
    `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'fact' RETURNING seq`,
    id,
  )
  if (changed.length === 0) database.run(`INSERT INTO sqlite_sequence (name, seq) VALUES ('fact', ?)`, id)
}
