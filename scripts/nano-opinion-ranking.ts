/** Trains a ranking: a log-linear model over the candidates of each example, with AdaGrad. */
import { hashOf, type LinearModel, softmax } from '../src/embedded/opinion/linear.ts'

/** Of each candidate its signs, and whether it is one of the right ones. */
export type RankingExample = readonly {
  readonly signs: readonly string[]
  readonly isRight: boolean
  /** The logarithm of how many candidates it stands for, where only some were drawn. */
  readonly offset?: number
}[]

export type RankingOptions = {
  readonly rounds?: number
  readonly rate?: number
  readonly decay?: number
  /** Of so many wrong candidates no more are learned from. */
  readonly mostWrong?: number
  /** A sign of fewer examples is an accident. */
  readonly fewest?: number
}

type Row = {
  readonly signs: readonly Int32Array[]
  readonly right: readonly boolean[]
  readonly offsets: readonly number[]
}

/** What is smaller says nothing. */
const LEAST_WEIGHT = 0.04

/** Examples without a right candidate teach nothing. */
export function trainRanking(
  examples: Iterable<RankingExample>,
  { rounds = 6, rate = 0.15, decay = 1e-4, mostWrong = 600, fewest = 1 }: RankingOptions = {},
): LinearModel {
  const ids = new Map<string, number>()
  const rows: Row[] = []
  for (const example of examples) {
    const row = toRow(example, ids, mostWrong)
    if (row) rows.push(row)
  }
  const weights = new Float32Array(ids.size)
  const squares = new Float32Array(ids.size).fill(1e-4)
  const isKept = keptSigns(rows, ids.size, fewest)
  for (let round = 0; round < rounds; round++)
    for (const row of rows)
      for (const [id, slope] of slopesOf(row, weights)) {
        const full = isKept[id] ? slope + decay * (weights[id] ?? 0) : 0
        squares[id] = (squares[id] ?? 0) + full * full
        weights[id] = (weights[id] ?? 0) - (rate * full) / Math.sqrt(squares[id] ?? 1)
      }
  return toModel(ids, weights)
}

function keptSigns(rows: readonly Row[], count: number, fewest: number): boolean[] {
  const examples = new Int32Array(count)
  for (const { signs } of rows)
    for (const id of new Set(signs.flatMap((row) => [...row]))) examples[id] = (examples[id] ?? 0) + 1
  return Array.from(examples, (many) => many >= fewest)
}

function toRow(example: RankingExample, ids: Map<string, number>, mostWrong: number): Row | undefined {
  const idOf = (sign: string): number => {
    const id = ids.get(sign) ?? ids.size
    ids.set(sign, id)
    return id
  }
  if (!example.some(({ isRight }) => isRight)) return undefined
  const step = Math.max(1, example.length / mostWrong)
  const isDrawn = (at: number): boolean => Math.floor(at / step) !== Math.floor((at - 1) / step)
  const kept = example.filter(({ isRight }, at) => isRight || isDrawn(at))
  return {
    signs: kept.map(({ signs }) => Int32Array.from(signs, idOf)),
    right: kept.map(({ isRight }) => isRight),
    offsets: kept.map(({ offset = 0 }) => offset),
  }
}

function slopesOf({ signs, right, offsets }: Row, weights: Float32Array): Map<number, number> {
  const shares = softmax(
    signs.map((row, at) => row.reduce((sum, id) => sum + (weights[id] ?? 0), offsets[at] ?? 0)),
  )
  const sum = Math.max(
    1e-9,
    shares.reduce((total, share, at) => total + (right[at] ? share : 0), 0),
  )
  const slopes = new Map<number, number>()
  for (const [at, row] of signs.entries()) {
    const share = shares[at] ?? 0
    const pull = share - (right[at] ? share / sum : 0)
    if (Math.abs(pull) < 1e-4) continue
    for (const id of row) slopes.set(id, (slopes.get(id) ?? 0) + pull)
  }
  return slopes
}

function toModel(ids: ReadonlyMap<string, number>, weights: Float32Array): LinearModel {
  const step = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) / 127
  const telling = [...ids].filter(([, id]) => Math.abs(weights[id] ?? 0) >= LEAST_WEIGHT)
  return {
    labels: ['right'],
    step,
    rows: new Map(telling.map(([sign], row) => [hashOf(sign), row])),
    weights: Int8Array.from(telling, ([, id]) => Math.round((weights[id] ?? 0) / step)),
  }
}
