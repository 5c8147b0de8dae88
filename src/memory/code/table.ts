/** Files and their chunks as rows; synchronous, inside `KeptDatabase.use`. The index can be thrown away at any time. */
import type { Chunk } from '../chunk.ts'
import type { Database } from '../database.ts'
import type { Stamp } from '../project-files.ts'
import { countTerms, noteTerms, type TermChanges, wordTables } from '../word-search.ts'
import { termsOf } from '../words.ts'

export const CODE_VERSION = 1

export const CODE_SCHEMA = `
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  mtime REAL NOT NULL,
  bytes INTEGER NOT NULL,
  hash TEXT NOT NULL
);
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  line INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  terms TEXT NOT NULL
);
CREATE INDEX chunk_file ON chunk (file);
${wordTables('chunk', 'path, name, words')}
`

export type FileRow = {
  readonly id: number
  readonly path: string
  readonly mtime: number
  readonly bytes: number
  readonly hash: string
}

export type ChunkRow = {
  readonly id: number
  readonly path: string
  readonly hash: string
  readonly kind: Chunk['kind']
  readonly name: string
  readonly line: number
  readonly first: number
  readonly last: number
  readonly terms: string
}

export const listFiles = (database: Database): readonly FileRow[] =>
  database.rows<FileRow>('SELECT * FROM file')

export type IndexedFile = {
  readonly path: string
  readonly stamp: Stamp
  readonly hash: string
  /** Absent = the content is as it was. */
  readonly chunks?: readonly Chunk[]
}

/** What is written in one transaction. */
export interface CodeWriter {
  write(file: IndexedFile): void
  remove(path: string): void
}

export function writeCode(database: Database, work: (writer: CodeWriter) => void): void {
  database.transact(() => {
    const changes: TermChanges = new Map()
    work({
      write: (file) => writeFile({ database, changes }, file),
      remove: (path) => removeFile({ database, changes }, path),
    })
    countTerms(database, 'chunk', changes)
  })
}

type Writing = { readonly database: Database; readonly changes: TermChanges }

function writeFile(writing: Writing, { path, stamp, hash, chunks }: IndexedFile): void {
  const [file] = writing.database.rows<{ id: number }>(
    `INSERT INTO file (path, mtime, bytes, hash) VALUES (?, ?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET mtime = excluded.mtime, bytes = excluded.bytes, hash = excluded.hash
     RETURNING id`,
    path,
    stamp.mtimeMs,
    stamp.bytes,
    hash,
  )
  if (file && chunks) replaceChunks(writing, { id: file.id, path }, chunks)
}

function removeFile(writing: Writing, path: string): void {
  const [file] = writing.database.rows<{ id: number }>('SELECT id FROM file WHERE path = ?', path)
  if (!file) return
  replaceChunks(writing, { id: file.id, path }, [])
  writing.database.run('DELETE FROM file WHERE id = ?', file.id)
}

type FileKey = Pick<FileRow, 'id' | 'path'>

/** Chunks whose content is the same stay and only move. */
function replaceChunks(writing: Writing, file: FileKey, chunks: readonly Chunk[]): void {
  const { database } = writing
  const old = database.rows<{ id: number; hash: string; terms: string }>(
    'SELECT id, hash, terms FROM chunk WHERE file = ?',
    file.id,
  )
  const unclaimed = new Map<string, { id: number; terms: string }[]>()
  for (const { hash, ...row } of old) unclaimed.set(hash, [...(unclaimed.get(hash) ?? []), row])
  for (const chunk of chunks) {
    const same = unclaimed.get(chunk.hash)?.shift()
    if (same) moveChunk(writing, same.id, chunk)
    else insertChunk(writing, file, chunk)
  }
  for (const row of [...unclaimed.values()].flat()) removeChunk(writing, row)
}

const moveChunk = ({ database }: Writing, id: number, { line, from, to }: Chunk): void =>
  void database.run('UPDATE chunk SET line = ?, first = ?, last = ? WHERE id = ?', line, from, to, id)

/** A chunk is bounded in lines, its lines are not. */
const MAX_TERMS = 600

function insertChunk({ database, changes }: Writing, file: FileKey, chunk: Chunk): void {
  const words = termsOf(chunk.text).slice(0, MAX_TERMS)
  const path = termsOf(file.path)
  const name = termsOf(chunk.name)
  // What a file and a definition are called finds them too.
  const terms = [...words, ...path, ...name]
  const id = database.run(
    'INSERT INTO chunk (file, hash, kind, name, line, first, last, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    file.id,
    chunk.hash,
    chunk.kind,
    chunk.name,
    chunk.line,
    chunk.from,
    chunk.to,
    terms.join(' '),
  )
  database.run(
    'INSERT INTO chunk_words (rowid, path, name, words) VALUES (?, ?, ?, ?)',
    id,
    path.join(' '),
    name.join(' '),
    words.join(' '),
  )
  noteTerms(changes, terms, 1)
}

function removeChunk(
  { database, changes }: Writing,
  { id, terms }: { readonly id: number; readonly terms: string },
): void {
  database.run('DELETE FROM chunk_words WHERE rowid = ?', id)
  database.run('DELETE FROM chunk WHERE id = ?', id)
  noteTerms(changes, terms.split(' '), -1)
}

export const chunksById = (database: Database, ids: readonly number[]): readonly ChunkRow[] =>
  database.rows<ChunkRow>(
    `SELECT c.id, f.path, c.hash, c.kind, c.name, c.line, c.first, c.last, c.terms
     FROM chunk c JOIN file f ON f.id = c.file WHERE c.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )

export const countChunks = (database: Database): number =>
  database.rows<{ count: number }>('SELECT count(*) AS count FROM chunk')[0]?.count ?? 0
