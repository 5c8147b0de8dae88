/** Trains the linear classifier of requests: multinomial logistic regression with AdaGrad over hashed features. */
import { hashOf, type LinearModel, softmax } from '../src/nano/opinion/linear.ts'

export type Example = {
  readonly signs: Iterable<string>
  readonly label: string
  readonly writer: string
  readonly weight?: number
}

export type Training = { readonly rounds: number; readonly rate: number; readonly decay: number }

/** A sign that one writer alone gives says more of the writer than of the request. */
const FEWEST_WRITERS = 3
const FEWEST_EXAMPLES = 4

export function trainLinear(examples: readonly Example[], { rounds, rate, decay }: Training): LinearModel {
  const labels = [...new Set(examples.map(({ label }) => label))].toSorted()
  const count = labels.length
  const known = rowsOf(examples)
  const size = known.size
  const weights = new Float32Array(size * count)
  const squares = new Float32Array(size * count).fill(1e-6)
  const rows = examples.map(({ signs, label, weight = 1 }) => ({
    places: Int32Array.from(
      Array.from(signs, (sign) => known.get(hashOf(sign))).filter((row) => row !== undefined),
    ),
    label: labels.indexOf(label),
    weight,
  }))
  const random = generator(7)
  const learn = (row: Row): void => {
    for (const [label, slope] of slopesOf(row, weights, count).entries())
      for (const place of Math.abs(slope) < LEAST_SLOPE ? [] : row.places) {
        const at = place * count + label
        const full = slope + decay * (weights[at] ?? 0)
        squares[at] = (squares[at] ?? 0) + full * full
        weights[at] = (weights[at] ?? 0) - (rate * full) / Math.sqrt(squares[at] ?? 1)
      }
  }
  for (let round = 0; round < rounds; round++) shuffled(rows, random).forEach(learn)
  return quantized({ labels, rows: known }, weights)
}

const LEAST_SLOPE = 1e-5

type Row = { readonly places: Int32Array; readonly label: number; readonly weight: number }

/** For each label, how the loss grows with the weight of each of the row's signs. */
function slopesOf({ places, label: right, weight }: Row, weights: Float32Array, count: number): number[] {
  const scale = 1 / Math.sqrt(Math.max(1, places.length))
  const scores = Array.from({ length: count }, (_, label) =>
    places.reduce((sum, place) => sum + (weights[place * count + label] ?? 0) * scale, 0),
  )
  return softmax(scores).map((share, label) => weight * (share - Number(label === right)) * scale)
}

function rowsOf(examples: readonly Example[]): Map<number, number> {
  const seen = new Map<number, { count: number; writers: Set<string> }>()
  for (const { signs, writer } of examples)
    for (const sign of signs) {
      const hash = hashOf(sign)
      const found = seen.get(hash) ?? { count: 0, writers: new Set() }
      seen.set(hash, found)
      found.count++
      found.writers.add(writer)
    }
  const kept = [...seen].filter(
    ([, { count, writers }]) => count >= FEWEST_EXAMPLES && writers.size >= FEWEST_WRITERS,
  )
  return new Map(kept.map(([hash], row) => [hash, row]))
}

/** Without the signs that tell nothing. */
function quantized(
  { labels, rows }: Pick<LinearModel, 'labels' | 'rows'>,
  weights: Float32Array,
): LinearModel {
  const most = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0)
  const step = most / 127
  const rounded = Int8Array.from(weights, (weight) => Math.round(weight / step))
  const rowOf = (row: number): Int8Array => rounded.subarray(row * labels.length, (row + 1) * labels.length)
  const telling = [...rows].filter(([, row]) => rowOf(row).some((weight) => Math.abs(weight) >= LEAST_STEPS))
  return {
    labels,
    step,
    rows: new Map(telling.map(([hash], row) => [hash, row])),
    weights: Int8Array.from(telling.flatMap(([, row]) => [...rowOf(row)])),
  }
}

const LEAST_STEPS = 3

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const copy = [...items]
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const item = copy[at] as Item
    copy[at] = copy[other] as Item
    copy[other] = item
  }
  return copy
}
