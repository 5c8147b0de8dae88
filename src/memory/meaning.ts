/**
 * Finding facts by what they mean, where an arm can embed. Vectors lie in the database; in memory there is one bit per
 * dimension, which is enough to pick candidates among a hundred thousand in milliseconds. Facts without a vector, or with
 * one of another model, get theirs in the background.
 */
import type { Embedder } from '../protocol/embedder.ts'
import type { Database, KeptDatabase } from './database.ts'
import type { Scored } from './rank.ts'

export type NamedEmbedder = {
  readonly model: string
  readonly embed: Embedder
  /** How much what it finds counts beside what words find. Absent = as measured. */
  readonly weight?: number
  /** How long a search waits for it. */
  readonly answerMs?: number
}

/** One that is known, or how to look for one: that takes longer than opening a memory that may never be asked. */
export type EmbedderSource = NamedEmbedder | (() => Promise<NamedEmbedder | undefined>)

/** What `make` makes of the embedder: at once where it is known, else when it is first asked for. */
export function forEmbedder<T>(
  source: EmbedderSource | undefined,
  make: (embedder: NamedEmbedder) => T,
): { get(): Promise<T | undefined>; made(): Promise<T | undefined> } {
  const find = typeof source === 'function' ? source : async () => source
  const look = async (): Promise<T | undefined> => {
    const embedder = await find()
    return embedder && make(embedder)
  }
  let made = typeof source === 'object' ? look() : undefined
  return {
    get: () => (made ??= look()),
    made: async () => made,
  }
}

/** Measured with all-MiniLM-L6-v2 (docs/memory.md). While facts lack a vector more would bury them under those that have one. */
const COMPLETE_WEIGHT = 3
const PARTIAL_WEIGHT = 1

export const VECTOR_TABLE = `
CREATE TABLE vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  fact INTEGER NOT NULL UNIQUE,
  model TEXT NOT NULL,
  sketch BLOB NOT NULL,
  data BLOB NOT NULL
);
`

export interface Meaning {
  /** How much it counts beside words, as far as it has come. */
  weight(): number
  /** The nearest facts with their cosine; nothing where the arm does not answer in time. */
  search(query: string, signal: AbortSignal): Promise<readonly Scored[]>
  /** There are facts without a vector. */
  behind(): void
  close(): Promise<void>
}

export type MeaningParts = NamedEmbedder & {
  readonly kept: KeptDatabase
  /** The namespaces whose facts may be found. */
  readonly projects: readonly string[]
}

const ANSWER_MS = 1_500
const BATCH = 64
const CANDIDATES = 128
const FOUND = 32
const MAX_DIMENSIONS = 8_192
/** A pasted log would be refused whole; its beginning says what it is about. */
const MAX_QUERY = 4_000

export function createMeaning(parts: MeaningParts): Meaning {
  const sketches = new Map<number, Uint32Array>()
  const closing = new AbortController()
  let last = 0
  let isBehind = true
  let work: Promise<void> | undefined

  async function loadNew(): Promise<void> {
    const { rows, newest } = await parts.kept.use((database) => ({
      rows: newSketches(database, parts, last),
      newest: database.rows<{ id: number | null }>('SELECT max(id) AS id FROM vector')[0]?.id ?? 0,
    }))
    for (const { fact, sketch } of rows) sketches.set(fact, new Uint32Array(sketch))
    // Those of other projects are not looked through again at every question.
    last = newest
  }

  async function catchUp(): Promise<void> {
    while (isBehind && !closing.signal.aborted) {
      isBehind = (await embedBatch(parts, closing.signal)) === BATCH
    }
  }

  return {
    weight: () => parts.weight ?? (isBehind ? PARTIAL_WEIGHT : COMPLETE_WEIGHT),
    async search(query, signal) {
      // An arm that fails now may answer at the next question.
      work ??= catchUp()
        .catch(() => {})
        .finally(() => (work = undefined))
      const limit = AbortSignal.any([
        signal,
        closing.signal,
        AbortSignal.timeout(parts.answerMs ?? ANSWER_MS),
      ])
      const [raw] = await parts.embed([query.slice(0, MAX_QUERY)], limit).catch(() => [])
      const vector = toUnit(usableVector(raw))
      if (vector.length === 0) return []
      await loadNew()
      return rescore(parts, vector, nearestSketches(sketches, toSketch(vector)))
    },
    behind: () => void (isBehind = true),
    async close() {
      closing.abort()
      await work
    },
  }
}

type SketchRow = { readonly fact: number; readonly sketch: ArrayBuffer }

const newSketches = (database: Database, { model, projects }: MeaningParts, after: number) =>
  database.rows<SketchRow>(
    `SELECT v.fact, v.sketch FROM vector v JOIN fact f ON f.id = v.fact
     WHERE v.id > ? AND v.model = ? AND f.project IN (SELECT value FROM json_each(?))`,
    after,
    model,
    JSON.stringify(projects),
  )

/** Only what may be found here: the arm of one project learns nothing of the others. */
async function embedBatch(parts: MeaningParts, signal: AbortSignal): Promise<number> {
  const { kept, model, embed, projects } = parts
  const facts = await kept.use((database) =>
    database.rows<{ id: number; text: string }>(
      `SELECT f.id, f.text FROM fact f LEFT JOIN vector v ON v.fact = f.id AND v.model = ?
       WHERE v.id IS NULL AND f.superseded_by IS NULL AND f.project IN (SELECT value FROM json_each(?))
       ORDER BY f.id DESC LIMIT ?`,
      model,
      JSON.stringify(projects),
      BATCH,
    ),
  )
  if (facts.length === 0) return 0
  const vectors = await embed(
    facts.map(({ text }) => text),
    signal,
  )
  await kept.use((database) =>
    database.transact(() => {
      for (const [index, { id }] of facts.entries()) {
        // Kept even where there is none to keep, so that it is not asked for again and again.
        const vector = toUnit(usableVector(vectors[index]))
        database.run(
          'INSERT OR REPLACE INTO vector (fact, model, sketch, data) VALUES (?, ?, ?, ?)',
          id,
          model,
          new Uint8Array(toSketch(vector).buffer),
          new Uint8Array(vector.buffer),
        )
      }
    }),
  )
  return facts.length
}

export const usableVector = (raw: readonly number[] = []): readonly number[] =>
  raw.length <= MAX_DIMENSIONS && raw.every(Number.isFinite) ? raw : []

export function toUnit(raw: readonly number[]): Float32Array {
  const length = Math.hypot(...raw) || 1
  return Float32Array.from(raw, (part) => part / length)
}

/** One bit per dimension: its sign. */
function toSketch(vector: Float32Array): Uint32Array {
  const bits = new Uint32Array(Math.ceil(vector.length / 32))
  for (const [at, part] of vector.entries()) {
    if (part > 0) bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31))
  }
  return bits
}

function nearestSketches(sketches: ReadonlyMap<number, Uint32Array>, query: Uint32Array): readonly number[] {
  const found: { fact: number; apart: number }[] = []
  let limit = Number.POSITIVE_INFINITY
  for (const [fact, sketch] of sketches) {
    if (sketch.length !== query.length) continue
    const apart = bitsApart(sketch, query)
    if (apart >= limit) continue
    found.push({ fact, apart })
    if (found.length < CANDIDATES * 4) continue
    found.sort((a, b) => a.apart - b.apart).length = CANDIDATES
    limit = found.at(-1)?.apart ?? limit
  }
  return found
    .toSorted((a, b) => a.apart - b.apart)
    .slice(0, CANDIDATES)
    .map(({ fact }) => fact)
}

function bitsApart(a: Uint32Array, b: Uint32Array): number {
  let count = 0
  for (let at = 0; at < a.length; at++) {
    let bits = (a[at] ?? 0) ^ (b[at] ?? 0)
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

async function rescore(
  { kept, model }: MeaningParts,
  query: Float32Array,
  facts: readonly number[],
): Promise<readonly Scored[]> {
  const rows = await kept.use((database) =>
    database.rows<{ fact: number; data: ArrayBuffer }>(
      'SELECT fact, data FROM vector WHERE model = ? AND fact IN (SELECT value FROM json_each(?))',
      model,
      JSON.stringify(facts),
    ),
  )
  return rows
    .map(({ fact, data }) => ({ id: fact, score: cosine(query, new Float32Array(data)) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, FOUND)
}

/** Of unit vectors. */
export const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, part, at) => sum + part * (b[at] ?? 0), 0)
