/**
 * What a project's code says and where: searched by words, answered with places that exist. It is brought up to date
 * before every search, within limits, and every place is looked at once more before it is named.
 */
import { matchesGlob } from '../../lib/path.ts'
import { toLines } from '../../lib/text.ts'
import { chunkHash } from '../chunk.ts'
import { type ChunkRow, CODE_SCHEMA, CODE_VERSION, chunksById, countChunks, listFiles } from './table.ts'
import { type Coverage, type UpdateLimits, updateIndex, updateLimits } from './update.ts'
import { type Database, type KeptDatabase, openDatabase } from '../database.ts'
import { type EmbedderSource, forEmbedder } from '../meaning.ts'
import type { ProjectFiles } from '../project-files.ts'
import { createCodeMeaning } from './meaning.ts'
import { expandQuery, scoreTerms, type WeighedQuery } from '../rank.ts'
import { searchWords } from '../word-search.ts'
import { termsOf } from '../words.ts'

export type CodeIndexOptions = {
  /** Absent = in memory. */
  readonly path?: string
  readonly limits?: Partial<UpdateLimits>
  /** Absent = places are found by words alone. */
  readonly embedder?: EmbedderSource
  warn(message: string): void
}

type CodeQuery = {
  readonly text: string
  /** A file, a folder or a glob. */
  readonly path?: string
  /** A kind of definition (`class`) or the end of a file name (`py`). */
  readonly type?: string
  readonly limit: number
}

export type CodeLocation = {
  readonly path: string
  readonly line: number
  readonly kind: ChunkRow['kind']
  readonly name: string
  /** The cited line and what follows it. */
  readonly lines: readonly string[]
}

export type CodeAnswer = { readonly places: readonly CodeLocation[]; readonly coverage: Coverage }

export interface CodeIndex {
  update(files: ProjectFiles, signal: AbortSignal, limits?: Partial<UpdateLimits>): Promise<Coverage>
  /** Best first, after an update. */
  search(query: CodeQuery, files: ProjectFiles, signal: AbortSignal): Promise<CodeAnswer>
  /** For readers of the whole index: the repo map. */
  use<T>(work: (database: Database) => T): Promise<T>
  close(): void
}

export async function openCodeIndex(options: CodeIndexOptions): Promise<CodeIndex> {
  const { path, limits, embedder, warn } = options
  const kept = await openDatabase({
    ...(path !== undefined && { path }),
    schema: CODE_SCHEMA,
    version: CODE_VERSION,
    durability: 'normal',
    warn,
  })
  const meaning = forEmbedder(embedder, (found) => createCodeMeaning(kept, found))
  let last: Promise<unknown> = Promise.resolve()
  const update: CodeIndex['update'] = (files, signal, own) => {
    // One after the other: two at once would read the same files.
    const next = last.then(() => updateIndex(kept, files, { ...updateLimits, ...limits, ...own }, signal))
    last = next.catch(() => undefined)
    return next
  }
  return {
    update,
    async search(query, files, signal) {
      const coverage = await update(files, signal)
      const byWords = await findChunks(kept, query)
      const textOf = async (chunk: ChunkRow) => (await currentText(chunk, files, signal))?.text
      const question = { text: query.text, ranked: byWords, textOf }
      const made = byWords.length > 1 ? await meaning.get() : undefined
      const ranked = made ? await made.order(question, signal) : byWords
      const places: CodeLocation[] = []
      for (const chunk of ranked) {
        if (places.length === query.limit) break
        const place = await lookAgain(chunk, files, signal)
        if (place) places.push(place)
      }
      return { places, coverage }
    },
    use: kept.use,
    close: kept.close,
  }
}

const CANDIDATES = 200

const findChunks = (kept: KeptDatabase, query: CodeQuery): Promise<readonly ChunkRow[]> =>
  kept.use((database) => {
    const files = filesWithin(database, query)
    const { ids, query: weighed } = searchWords(database, {
      name: 'chunk',
      groups: expandQuery(query.text),
      total: countChunks(database),
      scopes: [''],
      columns: '{path name words}',
      weights: [2, 4, 1],
      limit: CANDIDATES,
      ...(files && {
        within: {
          sql: 'SELECT id FROM chunk WHERE file IN (SELECT value FROM json_each(?))',
          value: JSON.stringify(files),
        },
      }),
    })
    const wantsTests = /\b(?:tests?|spec)\b/i.test(query.text)
    return chunksById(database, ids)
      .filter(({ kind }) => !isKind(query.type) || kind === query.type)
      .map((chunk) => ({
        chunk,
        score: scoreOf(chunk, weighed) * (wantsTests ? 1 : placeWeight(chunk.path)),
      }))
      .toSorted(
        (a, b) =>
          b.score - a.score || a.chunk.path.localeCompare(b.chunk.path) || a.chunk.line - b.chunk.line,
      )
      .map(({ chunk }) => chunk)
  })

const KINDS: ReadonlySet<string> = new Set(['function', 'method', 'class', 'type', 'module', 'text'])
const isKind = (type: string | undefined): boolean => type !== undefined && KINDS.has(type)

/** Files the query is confined to; absent = all. */
function filesWithin(database: Database, { path, type }: CodeQuery): readonly number[] | undefined {
  const place = path?.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '') ?? ''
  const ending = type === undefined || isKind(type) ? undefined : `.${type.replace(/^\./, '')}`
  if ((place === '' || place === '.') && ending === undefined) return undefined
  return listFiles(database)
    .filter((file) => place === '' || place === '.' || isWithin(file.path, place))
    .filter((file) => ending === undefined || file.path.endsWith(ending))
    .map(({ id }) => id)
}

const isWithin = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`) || (/[*?[{]/.test(place) && matchesGlob(path, place))

/** What something is called says more than what it holds. */
function scoreOf({ name, path, terms }: ChunkRow, query: WeighedQuery): number {
  const named = scoreTerms(termsOf(name), query)
  return (
    scoreTerms(terms.split(' '), query).score +
    named.score * (1 + named.overlap) +
    0.5 * scoreTerms(termsOf(path), query).score
  )
}

function placeWeight(path: string): number {
  if (/(?:^|\/)(?:dist|build|vendor|coverage|generated)\//.test(path)) return 0.3
  if (/\.(?:md|txt|rst|json|ya?ml|toml|html|css|csv)$/i.test(path)) return 0.6
  return /(?:^|\/)(?:tests?|__tests__|spec|fixtures)\/|[._](?:test|spec)\./.test(path) ? 0.6 : 1
}

const SHOWN_LINES = 2

/** The place as it is now; nothing where the file changed since it was indexed. */
async function lookAgain(
  chunk: ChunkRow,
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<CodeLocation | undefined> {
  const { path, line, last, kind, name } = chunk
  const current = await currentText(chunk, files, signal)
  const shown = current?.lines.slice(line - 1, last).filter((one) => one.trim() !== '')
  return shown && { path, line, kind, name, lines: shown.slice(0, SHOWN_LINES) }
}

async function currentText(
  { path, first, last, kind, name, hash }: ChunkRow,
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly string[]; readonly text: string } | undefined> {
  const lines = toLines(await files.read(path, signal).catch(() => ''))
  const text = lines.slice(first - 1, last).join('\n')
  return chunkHash({ kind, name, text }) === hash ? { lines, text } : undefined
}
