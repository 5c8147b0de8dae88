/**
 * Trains boosted trees: each tree is grown leaf by leaf where the loss falls most, on the slopes and curves of the logistic loss (Newton steps).
 * Features are cut into bins first, so that a split is looked for among a few dozen places.
 */
import type { Tree } from '../src/nano/opinion/trees.ts'

export type TreeExample = { readonly features: readonly number[]; readonly isRight: boolean }

export type TreeOptions = {
  readonly trees?: number
  readonly leaves?: number
  readonly rate?: number
  /** Of each leaf. */
  readonly fewest?: number
  /** How much a leaf's value is held back. */
  readonly decay?: number
}

export function trainTrees(
  examples: readonly TreeExample[],
  { trees: count = 100, leaves = 8, rate = 0.08, fewest = 30, decay = 1 }: TreeOptions = {},
): { readonly start: number; readonly trees: readonly Tree[] } {
  const table = toTable(examples)
  const right = Float64Array.from(examples, ({ isRight }) => Number(isRight))
  const share = right.reduce((sum, one) => sum + one, 0) / examples.length
  const start = Math.log(share / (1 - share))
  const scores = new Float64Array(examples.length).fill(start)
  const growing: Growing = {
    table,
    slopes: new Float64Array(examples.length),
    curves: new Float64Array(examples.length),
    limits: { leaves, fewest, decay, rate },
  }
  const trees = Array.from({ length: count }, () => {
    for (const [at, score] of scores.entries()) {
      const chance = 1 / (1 + Math.exp(-score))
      growing.slopes[at] = chance - (right[at] ?? 0)
      growing.curves[at] = chance * (1 - chance)
    }
    return grow(growing, scores)
  })
  return { start, trees }
}

/** Of each feature the lower edges of its bins, and the bin of each example. */
type Column = { readonly edges: readonly number[]; readonly bins: Uint8Array }

const MOST_BINS = 48

function toTable(examples: readonly TreeExample[]): Column[] {
  return (examples[0]?.features ?? []).map((_, feature) => {
    const values = Float64Array.from(examples, ({ features }) => features[feature] ?? 0)
    const edges = edgesOf(values)
    return { edges, bins: Uint8Array.from(values, (value) => binOf(edges, value)) }
  })
}

/** As many examples in each as possible; the first bin is what is below all edges. */
function edgesOf(values: Float64Array): number[] {
  const sorted = values.toSorted()
  const places = Array.from({ length: MOST_BINS - 1 }, (_, at) =>
    Math.floor(((at + 1) * sorted.length) / MOST_BINS),
  )
  const edges = new Set(places.map((place) => sorted[place] ?? 0))
  // Few are 1 of what is mostly 0.
  edges.add(sorted.at(-1) ?? 0)
  edges.delete(sorted[0] ?? 0)
  return [...edges].toSorted((a, b) => a - b)
}

function binOf(edges: readonly number[], value: number): number {
  const at = edges.findIndex((edge) => value < edge)
  return at < 0 ? edges.length : at
}

type Limits = Required<Omit<TreeOptions, 'trees'>>

type Growing = {
  readonly table: readonly Column[]
  readonly slopes: Float64Array
  readonly curves: Float64Array
  readonly limits: Limits
}

type Split = {
  readonly gain: number
  readonly feature: number
  readonly bin: number
}

type Leaf = { readonly rows: Int32Array; readonly split: Split | undefined }

type Branch = { leaf: Leaf } | { feature: number; bin: number; below: Branch; above: Branch }

/** Adds what the new tree says to the scores. */
function grow(growing: Growing, scores: Float64Array): Tree {
  const { table, limits } = growing
  const all = Int32Array.from({ length: scores.length }, (_, at) => at)
  const root: Branch = { leaf: toLeaf(all, growing) }
  const open: { leaf: Leaf }[] = [root]
  while (open.length < limits.leaves) {
    const best = open
      .filter(({ leaf }) => leaf.split)
      .toSorted((a, b) => (b.leaf.split?.gain ?? 0) - (a.leaf.split?.gain ?? 0))[0]
    const split = best?.leaf.split
    if (!best || !split) break
    const bins = table[split.feature]?.bins
    const isAbove = (row: number): boolean => (bins?.[row] ?? 0) >= split.bin
    const below = {
      leaf: toLeaf(
        best.leaf.rows.filter((row) => !isAbove(row)),
        growing,
      ),
    }
    const above = { leaf: toLeaf(best.leaf.rows.filter(isAbove), growing) }
    open.splice(open.indexOf(best), 1, below, above)
    Object.assign(best, { leaf: undefined, feature: split.feature, bin: split.bin, below, above })
  }
  return toTree(root, growing, scores)
}

function toTree(branch: Branch, growing: Growing, scores: Float64Array): Tree {
  if ('below' in branch) {
    const least = growing.table[branch.feature]?.edges[branch.bin - 1] ?? 0
    return [
      branch.feature,
      rounded(least),
      toTree(branch.below, growing, scores),
      toTree(branch.above, growing, scores),
    ]
  }
  const { slope, curve } = sumsOf(branch.leaf.rows, growing)
  const value = rounded((-slope / (curve + growing.limits.decay)) * growing.limits.rate)
  for (const row of branch.leaf.rows) scores[row] = (scores[row] ?? 0) + value
  return value
}

/** Edges and values are compared and added up: five digits are enough, and are stored in less. */
const rounded = (value: number): number => Number(value.toPrecision(5))

const toLeaf = (rows: Int32Array, growing: Growing): Leaf => ({ rows, split: bestSplit(rows, growing) })

type Sums = { slope: number; curve: number; count: number }

function sumsOf(rows: Int32Array, { slopes, curves }: Growing): Sums {
  const sums = { slope: 0, curve: 0, count: rows.length }
  for (const row of rows) {
    sums.slope += slopes[row] ?? 0
    sums.curve += curves[row] ?? 0
  }
  return sums
}

function bestSplit(rows: Int32Array, growing: Growing): Split | undefined {
  const { fewest } = growing.limits
  if (rows.length < 2 * fewest) return undefined
  const all = sumsOf(rows, growing)
  const found = growing.table.flatMap((column, feature) => splitOf({ column, feature, rows, all }, growing))
  return found.reduce<Split | undefined>(
    (best, split) => (split.gain > (best?.gain ?? LEAST_GAIN) ? split : best),
    undefined,
  )
}

const LEAST_GAIN = 1e-6

type Searched = {
  readonly column: Column
  readonly feature: number
  readonly rows: Int32Array
  readonly all: Sums
}

/** The best place to cut one feature; none where too few are on one side. */
function splitOf({ column, feature, rows, all }: Searched, growing: Growing): Split[] {
  const { fewest, decay } = growing.limits
  const slopes = new Float64Array(column.edges.length + 1)
  const curves = new Float64Array(slopes.length)
  const counts = new Int32Array(slopes.length)
  for (const row of rows) {
    const bin = column.bins[row] ?? 0
    slopes[bin] = (slopes[bin] ?? 0) + (growing.slopes[row] ?? 0)
    curves[bin] = (curves[bin] ?? 0) + (growing.curves[row] ?? 0)
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const worth = ({ slope, curve }: Sums): number => (slope * slope) / (curve + decay)
  const below: Sums = { slope: 0, curve: 0, count: 0 }
  const splits: Split[] = []
  for (let bin = 1; bin < slopes.length; bin++) {
    below.slope += slopes[bin - 1] ?? 0
    below.curve += curves[bin - 1] ?? 0
    below.count += counts[bin - 1] ?? 0
    if (below.count < fewest || all.count - below.count < fewest) continue
    const above = {
      slope: all.slope - below.slope,
      curve: all.curve - below.curve,
      count: all.count - below.count,
    }
    splits.push({ gain: worth(below) + worth(above) - worth(all), feature, bin })
  }
  return splits.length === 0 ? [] : [splits.reduce((best, split) => (split.gain > best.gain ? split : best))]
}
