/** The stored opinions: JSON with tables as base64, packed with Brotli. Reads one file. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { actionOpinion, type Opinion } from './action.ts'
import { type EditAsk, rankEdits, type RankedEdit } from './edit-ranking.ts'
import { hashOf, type LinearModel } from './linear.ts'
import { signsOf, type SignOptions } from './signs.ts'

export type Opinions = {
  /** Which step a request, or a part of it, begins with. */
  action(request: string, options: Omit<SignOptions, 'known'>): Opinion
  /** Which change of a line a clause asks for, the likeliest first. */
  edits(ask: EditAsk): readonly RankedEdit[]
}

export type StoredModel = {
  readonly labels: readonly string[]
  readonly step: number
  /** Of each sign its hash, 4 bytes, the lowest first. */
  readonly hashes: string
  /** Of each sign one byte for each label. */
  readonly weights: string
}

export type StoredOpinions = {
  /** Words that many writers use. */
  readonly words: readonly string[]
  readonly actions: StoredModel
  readonly edits: StoredModel
}

const unpack = promisify(brotliDecompress)

export async function loadOpinions(path: string): Promise<Opinions> {
  const text = await unpack(await readFile(path))
  const stored = JSON.parse(text.toString('utf8')) as StoredOpinions
  const known = new Set(stored.words)
  const actions = toModel(stored.actions)
  const edits = toModel(stored.edits)
  const weightOf = (sign: string): number =>
    (edits.weights[edits.rows.get(hashOf(sign)) ?? -1] ?? 0) * edits.step
  return {
    action: (request, options) => actionOpinion(actions, signsOf(request, { ...options, known })),
    edits: (ask) => rankEdits(ask, weightOf),
  }
}

function toModel({ labels, step, hashes, weights }: StoredModel): LinearModel {
  const bytes = Buffer.from(hashes, 'base64')
  const rows = new Map(
    Array.from({ length: bytes.length / 4 }, (_, row) => [bytes.readUInt32LE(4 * row), row]),
  )
  return { labels, step, rows, weights: new Int8Array(Buffer.from(weights, 'base64')) }
}

export function toStored({ labels, step, rows, weights }: LinearModel): StoredModel {
  const hashes = Buffer.alloc(4 * rows.size)
  for (const [hash, row] of rows) hashes.writeUInt32LE(hash, 4 * row)
  return {
    labels,
    step,
    hashes: hashes.toString('base64'),
    weights: Buffer.from(weights.buffer).toString('base64'),
  }
}
