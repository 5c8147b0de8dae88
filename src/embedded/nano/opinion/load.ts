/** The stored classifier: JSON with its tables as base64. Reads one file. */
import { readFile } from 'node:fs/promises'
import type { LinearModel } from './linear.ts'
import { type Opinions, opinionsOf } from './action.ts'

export type StoredOpinion = {
  readonly labels: readonly string[]
  readonly step: number
  /** Words that many writers use. */
  readonly words: readonly string[]
  /** Of each sign its hash, 4 bytes, the lowest first. */
  readonly hashes: string
  /** Of each sign one byte for each label. */
  readonly weights: string
}

export async function loadOpinions(path: string): Promise<Opinions> {
  const stored = JSON.parse(await readFile(path, 'utf8')) as StoredOpinion
  return opinionsOf(toModel(stored), new Set(stored.words))
}

function toModel({ labels, step, hashes, weights }: StoredOpinion): LinearModel {
  const bytes = Buffer.from(hashes, 'base64')
  const count = bytes.length / 4
  const rows = new Map(Array.from({ length: count }, (_, row) => [bytes.readUInt32LE(4 * row), row]))
  return { labels, step, rows, weights: new Int8Array(Buffer.from(weights, 'base64')) }
}
