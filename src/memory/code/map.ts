/**
 * A page that says what is where, for windows with room for it: the files whose definitions are used most, with the names
 * they define. Frozen for the session, so it is made from what can be indexed in a moment.
 */
import type { Source } from '../../protocol/source.ts'
import type { CodeIndex } from './open-index.ts'
import type { Database } from '../database.ts'
import type { ProjectFiles } from '../project-files.ts'
import { stem } from '../stem.ts'
import { wordsOf } from '../words.ts'
import { SMALL_WINDOW } from '../../protocol/token-limits.ts'

export type RepoMapParts = {
  readonly index: Pick<CodeIndex, 'update' | 'use'>
  readonly files: ProjectFiles
  readonly window: number
  countTokens(text: string): number
}

const SHARE = 0.03
const MAX_TOKENS = 1_500
const UPDATE_MS = 1_500

/** Nothing in a small window: there every token is needed for the work. */
export function repoMapSources(parts: RepoMapParts): readonly Source[] {
  if (parts.window <= SMALL_WINDOW) return []
  return [{ name: 'repo map', place: 'frozen', contribute: () => drawMap(parts) }]
}

async function drawMap({ index, files, window, countTokens }: RepoMapParts): Promise<string | undefined> {
  // A project that cannot be listed has no map; that is no reason not to open a session.
  const symbols = await index
    .update(files, AbortSignal.timeout(2 * UPDATE_MS), { ms: UPDATE_MS })
    .then(() => index.use(readSymbols))
    .catch(() => [])
  const ranked = rankFiles(symbols)
  const budget = Math.min(MAX_TOKENS, Math.floor(window * SHARE))
  const lines: string[] = []
  let used = countTokens(`${HEADING}\n`)
  for (const line of ranked.map(toLine)) {
    const cost = countTokens(`${line}\n`)
    if (used + cost > budget) break
    used += cost
    lines.push(line)
  }
  return lines.length === 0 ? undefined : [HEADING, ...lines.toSorted()].join('\n')
}

const HEADING = 'Most used files and what they define:'

export type SymbolRow = {
  readonly path: string
  readonly name: string
  /** How many pieces of code hold the name, its own included. */
  readonly mentions: number
}

function readSymbols(database: Database): readonly SymbolRow[] {
  const rows = database.rows<{ path: string; name: string }>(
    `SELECT DISTINCT f.path, c.name FROM chunk c JOIN file f ON f.id = c.file
     WHERE c.kind IN ('function', 'class', 'type', 'module') AND c.name <> '' ORDER BY c.id`,
  )
  const counts = new Map(
    database
      .rows<{ term: string; rows: number }>(
        'SELECT term, rows FROM chunk_term WHERE term IN (SELECT value FROM json_each(?))',
        JSON.stringify(rows.map(({ name }) => termOf(name))),
      )
      .map(({ term, rows: count }) => [term, count]),
  )
  return rows.map((row) => ({ ...row, mentions: counts.get(termOf(row.name)) ?? 0 }))
}

/** An identifier as a whole is the last of its words. */
const termOf = (name: string): string => stem(wordsOf(name).at(-1) ?? '')

export type MappedFile = { readonly path: string; readonly names: readonly string[] }

/** A name that several files define says little about any of them, and a plain word may be meant otherwise. */
export function rankFiles(symbols: readonly SymbolRow[]): readonly MappedFile[] {
  const definers = new Map<string, number>()
  for (const { name } of symbols) definers.set(name, (definers.get(name) ?? 0) + 1)
  const files = new Map<string, { score: number; names: { name: string; worth: number }[] }>()
  for (const { path, name, mentions } of symbols) {
    if (/(?:^|\/)(?:tests?|__tests__|fixtures|vendor|dist)\/|[._](?:test|spec)\./.test(path)) continue
    const isTelling = /[a-z\d][A-Z]|[a-zA-Z\d]_[a-zA-Z]/.test(name)
    const worth = isTelling ? Math.log2(Math.max(1, mentions)) / (definers.get(name) ?? 1) : 0
    const file = files.get(path) ?? { score: 0, names: [] }
    file.names.push({ name, worth })
    file.score += worth
    files.set(path, file)
  }
  return [...files]
    .toSorted(([a, { score }], [b, other]) => other.score - score || a.localeCompare(b))
    .map(([path, { names }]) => ({
      path,
      names: names.toSorted((a, b) => b.worth - a.worth).map(({ name }) => name),
    }))
}

const MAX_NAMES = 6

const toLine = ({ path, names }: MappedFile): string =>
  `${path}: ${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`
