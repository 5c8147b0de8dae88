/**
 * Finding rows by their words, fast also among very many: the rarest words of the question find candidates, all of them
 * rank what was found. An unknown word is looked up by its trigrams among the known ones.
 */
import type { Database } from './database.ts'
import { type QueryGroup, type WeighedQuery, weighQuery } from './rank.ts'

/** Both tables a searchable table needs: its words, and how many rows hold each of them. */
export const wordTables = (name: string, columns: string): string => `
CREATE VIRTUAL TABLE ${name}_words USING fts5(${columns}, content='', contentless_delete=1);
CREATE TABLE ${name}_term (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, rows INTEGER NOT NULL);
CREATE VIRTUAL TABLE ${name}_trigram USING fts5(term, content='', tokenize='trigram');
`

/**
 * Words as they are written into the index: each carries its namespace in front, so that what others have written costs
 * nothing and cannot be found by mistake.
 */
export const scopedWords = (terms: readonly string[], scope: string): string =>
  terms.map((term) => `${scope}${term}`).join(' ')

/** How many rows more, or fewer, hold each term; gathered over many rows and then written at once. */
export type TermChanges = Map<string, number>

export function noteTerms(changes: TermChanges, terms: readonly string[], step: 1 | -1): void {
  for (const term of new Set(terms)) changes.set(term, (changes.get(term) ?? 0) + step)
}

/** Inside a transaction. A term that no row holds any more is forgotten. */
export function countTerms(database: Database, name: string, changes: TermChanges): void {
  for (const [term, step] of changes) {
    const [known] = database.rows<{ id: number; rows: number }>(
      `UPDATE ${name}_term SET rows = rows + ? WHERE term = ? RETURNING id, rows`,
      step,
      term,
    )
    if (known && known.rows <= 0) dropTerm(database, name, { id: known.id, term })
    if (!known && step > 0) addTerm(database, name, { term, rows: step })
  }
}

function addTerm(database: Database, name: string, { term, rows }: Known): void {
  const id = database.run(`INSERT INTO ${name}_term (term, rows) VALUES (?, ?)`, term, rows)
  database.run(`INSERT INTO ${name}_trigram (rowid, term) VALUES (?, ?)`, id, term)
}

function dropTerm(
  database: Database,
  name: string,
  { id, term }: { readonly id: number; readonly term: string },
): void {
  database.run(`DELETE FROM ${name}_term WHERE id = ?`, id)
  // A contentless index needs the old term to delete it.
  database.run(`INSERT INTO ${name}_trigram (${name}_trigram, rowid, term) VALUES ('delete', ?, ?)`, id, term)
}

export type WordQuery = {
  readonly name: string
  readonly groups: readonly QueryGroup[]
  /** How many rows there are, roughly. */
  readonly total: number
  /** Only what was listed under one of these. */
  readonly scopes: readonly string[]
  /** The columns searched, as FTS5 writes them: `words` or `{path words}`. */
  readonly columns: string
  /** Weight of each column of the table. */
  readonly weights: readonly number[]
  readonly limit: number
  /** Only rows this query names; it has one value. */
  readonly within?: { readonly sql: string; readonly value: string }
}

export type WordHits = {
  readonly ids: readonly number[]
  readonly query: WeighedQuery
}

/** More rows than this are not looked at one by one. */
const MAX_CANDIDATES = 2_500
const MAX_FINDERS = 64

export function searchWords(database: Database, words: WordQuery): WordHits {
  const { name, total, weights, limit, within } = words
  const groups = withSpelling(database, words)
  const of = frequenciesOf(database, name, groups)
  const query = weighQuery(groups, { of, total })
  const found = toMatch(rarestFirst(query, of), words)
  if (found === undefined) return { ids: [], query }
  const rank = `bm25(${weights.map((weight) => weight.toFixed(1)).join(', ')})`
  const rows = database.rows<{ rowid: number }>(
    `SELECT rowid FROM ${name}_words WHERE ${name}_words MATCH ? AND rank MATCH ?
     ${within ? `AND rowid IN (${within.sql})` : ''}
     ORDER BY ${found.isCommon ? 'rowid DESC' : 'rank'} LIMIT ?`,
    found.match,
    rank,
    ...(within ? [within.value] : []),
    limit,
  )
  return { ids: rows.map(({ rowid }) => rowid), query }
}

type Known = { readonly term: string; readonly rows: number }

function rarestFirst(query: WeighedQuery, of: ReadonlyMap<string, number>): readonly Known[] {
  return [...query.terms.keys()]
    .map((term) => ({ term, rows: of.get(term) ?? 0 }))
    .filter(({ rows }) => rows > 0)
    .toSorted((a, b) => a.rows - b.rows)
}

/** Rare words say more and cost less; the others only rank. Where even the rarest is everywhere, the newest do. */
function toMatch(
  known: readonly Known[],
  { scopes, columns }: WordQuery,
): { readonly match: string; readonly isCommon: boolean } | undefined {
  const [rarest] = known
  if (!rarest) return undefined
  let sum = 0
  const finders = known
    .slice(0, MAX_FINDERS)
    .filter(({ rows }, index) => (sum += rows) <= MAX_CANDIDATES || index === 0)
  const wanted = scopes.flatMap((scope) => finders.map(({ term }) => `"${scope}${term}"`))
  return { match: `${columns} : (${wanted.join(' OR ')})`, isCommon: rarest.rows > 2 * MAX_CANDIDATES }
}

function frequenciesOf(
  database: Database,
  name: string,
  groups: readonly QueryGroup[],
): ReadonlyMap<string, number> {
  const terms = [...new Set(groups.flatMap((group) => [...group.keys()]))]
  const rows = database.rows<{ term: string; rows: number }>(
    `SELECT term, rows FROM ${name}_term WHERE term IN (SELECT value FROM json_each(?))`,
    JSON.stringify(terms),
  )
  return new Map(rows.map(({ term, rows: count }) => [term, count]))
}

/** For a word that is nowhere: the written ones that look most like it. */
function withSpelling(database: Database, { name, groups }: WordQuery): readonly QueryGroup[] {
  const known = frequenciesOf(database, name, groups)
  let left = MAX_LOOKUPS
  return groups.map((group) => {
    const [term] = [...group.keys()]
    if (term === undefined || (known.get(term) ?? 0) > 0 || term.length < SHORTEST || left-- <= 0)
      return group
    return new Map([
      ...group,
      ...lookAlikes(database, name, term).map((other) => [other, SPELLING_WEIGHT] as const),
    ])
  })
}

const MAX_LOOKUPS = 6
const SHORTEST = 4
const SPELLING_WEIGHT = 0.8
const MAX_ALIKE = 3
const MIN_ALIKE = 0.5

function lookAlikes(database: Database, name: string, term: string): readonly string[] {
  const trigrams = trigramsOf(term)
  const rows = database.rows<{ term: string }>(
    `SELECT term FROM ${name}_term WHERE id IN (
       SELECT rowid FROM ${name}_trigram WHERE ${name}_trigram MATCH ? ORDER BY rank LIMIT 20)`,
    trigrams.map((part) => `"${part}"`).join(' OR '),
  )
  return (
    rows
      .map((row) => ({ term: row.term, alike: likeness(trigrams, trigramsOf(row.term)) }))
      // Hardly anybody misspells the first letter.
      .filter((found) => found.alike >= MIN_ALIKE && found.term[0] === term[0])
      .toSorted((a, b) => b.alike - a.alike)
      .slice(0, MAX_ALIKE)
      .map((found) => found.term)
  )
}

const trigramsOf = (term: string): readonly string[] =>
  Array.from({ length: Math.max(0, term.length - 2) }, (_, at) => term.slice(at, at + 3))

/** Dice's coefficient. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const others = new Set(b)
  return (2 * a.filter((part) => others.has(part)).length) / Math.max(1, a.length + b.length)
}
