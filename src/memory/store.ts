/**
 * What outlives a session: facts about projects and people. One database per user, a namespace per project and one for
 * what holds everywhere. A fact is acknowledged when it is on the disk; a secret never gets there.
 */
import { AppError } from '../protocol/error.ts'
import { type Database, type KeptDatabase, openDatabase } from './database.ts'
import { draftFact, type Fact, type FactDraft, type NewFact } from './fact.ts'
import {
  eraseTraces,
  FACT_SCHEMA,
  FACT_VERSION,
  type FactRow,
  factsById,
  GLOBAL,
  isListed,
  lastFactId,
  listFacts,
  pruneFacts,
  removeFact,
  scopeOf,
  toFact,
  touchFacts,
  writeFact,
} from './fact-table.ts'
import { createMeaning, type EmbedderSource, forEmbedder, type Meaning } from './meaning.ts'
import { expandQuery, mergeRanks, prominence, type Scored, scoreTerms, spread } from './rank.ts'
import { salvageFacts } from './salvage.ts'
import { searchWords } from './word-search.ts'
import { termsOf } from './words.ts'

export type MemoryOptions = {
  /** Absent = nothing is read and nothing kept: it is gone at close. */
  readonly path?: string
  /** The namespace: a folder, usually. */
  readonly project: string
  readonly embedder?: EmbedderSource
  /** Why a text may not be stored, such as the kind of secret in it. */
  refuse(text: string): Promise<string | undefined>
  now(): number
  warn(message: string): void
  /** The most facts of all projects together. */
  readonly keep?: number
}

export type Added = {
  readonly fact: Fact
  /** `known`: it was there already and only counts as used again. */
  readonly outcome: 'stored' | 'known'
  /** Ids of older facts it contradicts and takes the place of. */
  readonly replaced: readonly number[]
}

/** `relevance`: 0-1, comparable between questions. */
export type Recalled = { readonly fact: Fact; readonly relevance: number }

type RecallOptions = { readonly limit?: number; readonly signal?: AbortSignal }

export interface Memory {
  add(fact: NewFact): Promise<Added>
  /** Best first. */
  recall(query: string, options?: RecallOptions): Promise<readonly Recalled[]>
  /** Counts a use. Never fails: an answer is worth more than its count. */
  used(facts: readonly Fact[]): Promise<void>
  /** Of this project and of all; superseded ones too. */
  list(): Promise<readonly Fact[]>
  /** One that `list` shows; false for any other. Its words are in no file afterwards. */
  remove(id: number): Promise<boolean>
  close(): Promise<void>
}

const DEFAULT_KEEP = 200_000
const PRUNE_EVERY = 256

export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const { project, embedder, now, keep = DEFAULT_KEEP } = options
  const kept = await openFacts(options)
  const projects = [project, GLOBAL]
  const meaning = forEmbedder(embedder, (found) => createMeaning({ ...found, kept, projects }))
  return {
    async add(fact) {
      const draft = draftFact(fact)
      await requireHarmless(draft, options)
      const place = { project: fact.isGlobal ? GLOBAL : project, source: fact.source, now: now() }
      const { row, ...written } = await kept.use((database) =>
        database.transact(() => {
          const result = writeFact(database, draft, place)
          if (result.id % PRUNE_EVERY === 0) pruneFacts(database, keep, result.id)
          return { ...result, row: requireFact(database, result.id) }
        }),
      )
      void meaning.made().then((made) => made?.behind())
      return { ...written, fact: toFact(row) }
    },
    recall: (query, { limit = 5, signal = AbortSignal.timeout(60_000) } = {}) =>
      recall({ kept, projects, meaning }, query, { limit, signal }),
    async used(facts) {
      if (facts.length === 0) return
      const ids = facts.map(({ id }) => id)
      await kept.use((database) => touchFacts(database, ids, now())).catch(() => undefined)
    },
    list: async () => (await kept.use((database) => listFacts(database, projects))).map(toFact),
    remove: (id) => kept.use((database) => removeTraceless(database, id, projects)),
    async close() {
      await (await meaning.made())?.close()
      kept.close()
    },
  }
}

function requireFact(database: Database, id: number): FactRow {
  const [row] = factsById(database, [id])
  if (row) return row
  throw new Error(`fact ${id} is not where it was just written`)
}

function removeTraceless(database: Database, id: number, projects: readonly string[]): boolean {
  const isRemoved = database.transact(() => {
    if (!isListed(database, id, projects)) return false
    removeFact(database, id)
    eraseTraces(database)
    return true
  })
  // The log would keep the words until it is written over.
  if (isRemoved) database.rows('PRAGMA wal_checkpoint(TRUNCATE)')
  return isRemoved
}

const openFacts = ({ path, warn, now }: MemoryOptions): Promise<KeptDatabase> =>
  openDatabase({
    ...(path !== undefined && { path }),
    schema: FACT_SCHEMA,
    version: FACT_VERSION,
    durability: 'full',
    erasesDeleted: true,
    warn,
    salvage: (broken, fresh) => salvageFacts(broken, fresh, now()),
  })

/** A placeholder of the firewall means nothing outside its session, and shows that a secret was meant. */
const PLACEHOLDER = /\[secret:([\w-]+)/

async function requireHarmless({ text }: FactDraft, { refuse }: MemoryOptions): Promise<void> {
  const why = PLACEHOLDER.exec(text)?.[1] ?? (await refuse(text))
  if (why === undefined) return
  const message = `This was not stored: it holds a secret (${why}). Say where the secret is kept, not what it is.`
  throw new AppError('permission-denied', message, { failure: 'denied' })
}

type RecallParts = {
  readonly kept: KeptDatabase
  readonly projects: readonly string[]
  readonly meaning: { get(): Promise<Meaning | undefined>; made(): Promise<Meaning | undefined> }
}

const CANDIDATES = 120

async function recall(
  { kept, projects, meaning: source }: RecallParts,
  query: string,
  { limit, signal }: Required<RecallOptions>,
): Promise<readonly Recalled[]> {
  // Nothing is looked for where there is nothing to find.
  const meaning = (await kept.use(lastFactId)) > 0 ? await source.get() : await source.made()
  const near = (await meaning?.search(query, signal)) ?? []
  return kept.use((database) => {
    const { ids, query: weighed } = searchWords(database, {
      name: 'fact',
      groups: expandQuery(query),
      total: lastFactId(database),
      scopes: projects.map(scopeOf),
      columns: 'words',
      weights: [1],
      limit: CANDIDATES,
    })
    const rows = factsById(database, [...new Set([...ids, ...near.map(({ id }) => id)])])
    const found = rows.map((row) => {
      const terms = termsOf(row.text)
      return { row, terms, ...scoreTerms(terms, weighed) }
    })
    const byWords: readonly Scored[] = found
      .filter(({ score }) => score > 0)
      .map(({ row, score }) => ({ id: row.id, score }))
    const standing = prominence(near.map(({ score }) => score))
    const meant = new Map(near.map(({ id, score }) => [id, standing(score)]))
    const merged = meaning ? mergeRanks([byWords, near], [1, meaning.weight()]) : mergeRanks([byWords])
    const ranked = found
      .filter(({ row }) => merged.has(row.id))
      .toSorted((a, b) => (merged.get(b.row.id) ?? 0) - (merged.get(a.row.id) ?? 0) || fresher(a.row, b.row))
    return spread(ranked, limit).map(({ row, overlap }) => ({
      fact: toFact(row),
      relevance: Math.max(overlap, meant.get(row.id) ?? 0),
    }))
  })
}

/** Of two that fit equally: the one used more often, then the one used last. */
const fresher = (a: FactRow, b: FactRow): number => b.uses - a.uses || b.used_at - a.used_at || b.id - a.id
