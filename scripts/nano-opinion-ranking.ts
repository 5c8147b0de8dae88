/** Trains a ranking: a log-linear model over the candidates of each example, with AdaGrad. */
import { hashOf, type LinearModel, softmax } from '../src/nano/opinion/linear.ts'

/** Of each candidate its signs, and whether it is one of the right ones. */
export type RankingExample = readonly {
  readonly signs: readonly string[]
  /** More of them, in groups that candidates have in common: the same array is summed up once. */
  readonly shared?: readonly (readonly string[])[]
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
  /** The signs of each group that some candidate has, and for each candidate which groups. */
  readonly groups: readonly Int32Array[]
  readonly candidates: readonly Int32Array[]
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
  const slopes = createSlopes(ids.size)
  const isKept = keptSigns(rows, ids.size, fewest)
  for (let round = 0; round < rounds; round++)
    for (const row of rows) {
      addSlopes(row, weights, slopes)
      slopes.take((id, slope) => {
        const full = isKept[id] ? slope + decay * (weights[id] ?? 0) : 0
        squares[id] = (squares[id] ?? 0) + full * full
        weights[id] = (weights[id] ?? 0) - (rate * full) / Math.sqrt(squares[id] ?? 1)
      })
    }
  return toModel(ids, weights)
}

function keptSigns(rows: readonly Row[], count: number, fewest: number): boolean[] {
  const examples = new Int32Array(count)
  for (const { groups } of rows)
    for (const id of new Set(groups.flatMap((group) => [...group]))) examples[id] = (examples[id] ?? 0) + 1
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
  const known = new Map<readonly string[], number>()
  const groups: Int32Array[] = []
  const placeOf = (group: readonly string[]): number => {
    const place = known.get(group) ?? groups.length
    if (place === groups.length) groups.push(Int32Array.from(group, idOf))
    known.set(group, place)
    return place
  }
  return {
    candidates: kept.map(({ signs, shared = [] }) => Int32Array.from([signs, ...shared], placeOf)),
    groups,
    right: kept.map(({ isRight }) => isRight),
    offsets: kept.map(({ offset = 0 }) => offset),
  }
}

/** How the loss grows with each weight, gathered for one row at a time. */
type Slopes = {
  add(ids: Int32Array, slope: number): void
  /** Each that was added to, with its sum; then there is nothing left. */
  take(use: (id: number, slope: number) => void): void
}

function createSlopes(count: number): Slopes {
  const sums = new Float64Array(count)
  const isTouched = new Uint8Array(count)
  const touched: number[] = []
  return {
    add(ids, slope) {
      for (const id of ids) {
        if (isTouched[id] === 0) touched.push(id)
        isTouched[id] = 1
        sums[id] = (sums[id] ?? 0) + slope
      }
    },
    take(use) {
      for (const id of touched) {
        use(id, sums[id] ?? 0)
        sums[id] = 0
        isTouched[id] = 0
      }
      touched.length = 0
    },
  }
}

function addSlopes({ groups, candidates, right, offsets }: Row, weights: Float32Array, slopes: Slopes): void {
  const worths = groups.map((group) => {
    let sum = 0
    for (const id of group) sum += weights[id] ?? 0
    return sum
  })
  const shares = softmax(
    candidates.map((own, at) => own.reduce((sum, group) => sum + (worths[group] ?? 0), offsets[at] ?? 0)),
  )
  const sum = Math.max(
    1e-9,
    shares.reduce((total, share, at) => total + (right[at] ? share : 0), 0),
  )
  const pulls = new Float64Array(groups.length)
  for (const [at, own] of candidates.entries()) {
    const share = shares[at] ?? 0
    const pull = share - (right[at] ? share / sum : 0)
    if (Math.abs(pull) < 1e-4) continue
    for (const group of own) pulls[group] = (pulls[group] ?? 0) + pull
  }
  for (const [at, group] of groups.entries()) if (pulls[at] !== 0) slopes.add(group, pulls[at] ?? 0)
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
