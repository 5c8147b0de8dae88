/**
 * Puts the places that words found into the order of what they mean, where an arm can embed. Only the best by words are
 * looked at, so that a search costs a few dozen vectors and not those of a whole project; they are kept by the content of
 * the piece. An arm that does not answer in time changes nothing.
 */
import type { Database, KeptDatabase } from '../database.ts'
import { cosine, type NamedEmbedder, toUnit, usableVector } from '../meaning.ts'
import { mergeRanks } from '../rank.ts'
import type { ChunkRow } from './table.ts'

export type CodeMeaning = {
  order(question: CodeQuestion, signal: AbortSignal): Promise<readonly ChunkRow[]>
}

type CodeQuestion = {
  readonly text: string
  /** By words, best first. */
  readonly ranked: readonly ChunkRow[]
  /** What a piece says now; undefined where it changed since it was indexed. */
  textOf(chunk: ChunkRow): Promise<string | undefined>
}

/** Measured with all-MiniLM-L6-v2 (docs/memory.md). */
const REORDERED = 40
const MEANING_WEIGHT = 1
const ANSWER_MS = 3_000
/** What was made before the time is up is kept. */
const BATCH = 8
/** What stands first says what a piece is about; small models read no more. */
const MAX_TEXT = 600

export function createCodeMeaning(kept: KeptDatabase, embedder: NamedEmbedder): CodeMeaning {
  let table: Promise<void> | undefined
  return {
    async order(question, signal) {
      const { answerMs = ANSWER_MS } = embedder
      table ??= kept.use(prepareTable)
      await table
      const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
      const first = question.ranked.slice(0, REORDERED)
      try {
        const [raw] = await embedder.embed([question.text], limit)
        const query = toUnit(usableVector(raw))
        const vectors = await vectorsOf(first, question, { kept, embedder, signal: limit })
        signal.throwIfAborted()
        const byMeaning = first.flatMap(({ id, hash }) => {
          const vector = vectors.get(hash)
          return vector && vector.length === query.length ? [{ id, score: cosine(query, vector) }] : []
        })
        const byWords = first.map(({ id }, index) => ({ id, score: 1 / (index + 1) }))
        const scores = mergeRanks([byWords, byMeaning], [1, embedder.weight ?? MEANING_WEIGHT])
        const ordered = first.toSorted((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0))
        return [...ordered, ...question.ranked.slice(REORDERED)]
      } catch {
        signal.throwIfAborted()
        return question.ranked
      }
    },
  }
}

type Asking = { readonly kept: KeptDatabase; readonly embedder: NamedEmbedder; readonly signal: AbortSignal }

async function vectorsOf(
  chunks: readonly ChunkRow[],
  { textOf }: Pick<CodeQuestion, 'textOf'>,
  { kept, embedder, signal }: Asking,
): Promise<ReadonlyMap<string, Float32Array>> {
  const vectors = await kept.use((database) => knownVectors(database, chunks, embedder.model))
  const texts = new Map<string, string>()
  for (const chunk of chunks) {
    const text = vectors.has(chunk.hash) ? undefined : await textOf(chunk)
    if (text !== undefined) texts.set(chunk.hash, `${chunk.path} ${chunk.name} ${text}`.slice(0, MAX_TEXT))
  }
  const missing = [...texts]
  for (let at = 0; at < missing.length && !signal.aborted; at += BATCH) {
    const batch = missing.slice(at, at + BATCH)
    const made = await embedder
      .embed(
        batch.map(([, text]) => text),
        signal,
      )
      .catch(() => undefined)
    if (made === undefined) break
    const added = batch.map(([hash], index) => [hash, toUnit(usableVector(made[index]))] as const)
    await kept.use((database) => keepVectors(database, added, embedder.model))
    for (const [hash, vector] of added) vectors.set(hash, vector)
  }
  return vectors
}

/** Beside the tables of the index: an index without vectors stays as it is. */
const TABLE = `CREATE TABLE IF NOT EXISTS vector (
  hash TEXT NOT NULL, model TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (hash, model)
)`

/** Vectors of pieces that are gone go with them, once in the life of the program. */
function prepareTable(database: Database): void {
  database.run(TABLE)
  database.run('DELETE FROM vector WHERE hash NOT IN (SELECT hash FROM chunk)')
}

function knownVectors(
  database: Database,
  chunks: readonly ChunkRow[],
  model: string,
): Map<string, Float32Array> {
  const rows = database.rows<{ hash: string; data: ArrayBuffer }>(
    'SELECT hash, data FROM vector WHERE model = ? AND hash IN (SELECT value FROM json_each(?))',
    model,
    JSON.stringify(chunks.map(({ hash }) => hash)),
  )
  return new Map(rows.map(({ hash, data }) => [hash, new Float32Array(data)]))
}

function keepVectors(
  database: Database,
  added: readonly (readonly [string, Float32Array])[],
  model: string,
): void {
  database.transact(() => {
    for (const [hash, vector] of added)
      database.run(
        'INSERT OR REPLACE INTO vector (hash, model, data) VALUES (?, ?, ?)',
        hash,
        model,
        new Uint8Array(vector.buffer),
      )
  })
}
