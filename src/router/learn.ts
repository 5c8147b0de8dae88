/**
 * What the router learns: for each arm one ability, and for each type of task a deviation from it, both shrunk towards
 * what was expected beforehand, so that ten outcomes of one type also say something about the others and one outcome
 * says little. Complexity is a covariate: an arm that is given the hard tasks does not look bad for it. Pure.
 *
 * Kept are only weighted sums per arm and type (weight w, complexity x around 0.5, outcome y); everything else follows.
 */
import { taskTypes } from '../protocol/classification.ts'
import type { Estimate, Evidence, TaskType } from '../protocol/routing.ts'
import { entryOf } from './entry.ts'

/** Sums over the outcomes of one arm and type, faded: of w, wx, wxx, wy, wxy. `runs` is the plain number. */
type Cell = {
  readonly w: number
  readonly wx: number
  readonly wxx: number
  readonly wy: number
  readonly wxy: number
  readonly runs: number
}

type ArmRecord = {
  /** All evidence ever seen: the clock by which old evidence fades. */
  readonly clock: number
  readonly cells: Readonly<Partial<Record<TaskType, Cell>>>
}

export type Learned = Readonly<Record<string, ArmRecord>>

export type Outcome = {
  readonly arm: string
  readonly type: TaskType
  readonly complexity: number
  readonly evidence: Evidence
}

/** How much each kind of evidence weighs, and whether it speaks for the arm. That something answered says little. */
export const verdicts: Readonly<Record<Evidence, { readonly weight: number; readonly good: boolean }>> = {
  'checks-green': { weight: 1, good: true },
  'checks-red': { weight: 1, good: false },
  escalated: { weight: 1, good: false },
  'edit-kept': { weight: 0.5, good: true },
  'edit-undone': { weight: 0.5, good: false },
  stopped: { weight: 0.5, good: false },
  answered: { weight: 0.1, good: true },
}

/** Evidence loses half of its weight by the time this much newer evidence about the same arm has come. */
const HALF_LIFE = 200
/**
 * How much evidence it takes to be believed half: about one type, and about the arm as a whole. With less for the arm, the
 * first unlucky outcomes make a good prior worse (simulated in bench/router.ts).
 */
const TYPE_STRENGTH = 8
const ABILITY_STRENGTH = 30
/** What is expected of complexity before anything was seen, and how much it takes to believe otherwise. */
const USUAL_SLOPE = -0.4
const SLOPE_STRENGTH = 2

export function observe(learned: Learned, outcome: Outcome): Learned {
  const { weight, good } = verdicts[outcome.evidence]
  const record = entryOf(learned, outcome.arm) ?? NEW_ARM
  const faded = fade(record, weight)
  const cell = addTo(faded.cells[outcome.type], outcome.complexity, { weight, good, runs: 1 })
  return {
    ...learned,
    [outcome.arm]: { clock: record.clock + weight, cells: { ...faded.cells, [outcome.type]: cell } },
  }
}

/** Takes an outcome back that was observed when the arm's clock then showed `clock`: better evidence has come. */
export function retract(learned: Learned, outcome: Outcome, clock: number): Learned {
  const record = entryOf(learned, outcome.arm)
  const cell = record?.cells[outcome.type]
  if (!record || !cell) return learned
  const { weight, good } = verdicts[outcome.evidence]
  const left = -weight * fading(record.clock - clock)
  const without = addTo(cell, outcome.complexity, { weight: left, good, runs: -1 })
  return { ...learned, [outcome.arm]: { ...record, cells: { ...record.cells, [outcome.type]: without } } }
}

const NEW_ARM: ArmRecord = { clock: 0, cells: {} }
const NEW_CELL: Cell = { w: 0, wx: 0, wxx: 0, wy: 0, wxy: 0, runs: 0 }

const fading = (evidence: number): number => 2 ** (-evidence / HALF_LIFE)

function fade({ clock, cells }: ArmRecord, weight: number): ArmRecord {
  const left = fading(weight)
  const scaled = ({ w, wx, wxx, wy, wxy, runs }: Cell): Cell => ({
    w: w * left,
    wx: wx * left,
    wxx: wxx * left,
    wy: wy * left,
    wxy: wxy * left,
    runs,
  })
  return {
    clock,
    cells: Object.fromEntries(Object.entries(cells).map(([type, cell]) => [type, scaled(cell)])),
  }
}

type Addition = { readonly weight: number; readonly good: boolean; readonly runs: number }

function addTo(cell: Cell = NEW_CELL, complexity: number, { weight, good, runs }: Addition): Cell {
  const x = complexity - 0.5
  const y = good ? 1 : 0
  return {
    w: Math.max(0, cell.w + weight),
    wx: cell.wx + weight * x,
    wxx: cell.wxx + weight * x * x,
    wy: Math.max(0, cell.wy + weight * y),
    wxy: cell.wxy + weight * x * y,
    runs: Math.max(0, cell.runs + runs),
  }
}

/** How much success falls with complexity, over all arms and types: only differences within one cell count. */
export function slopeOf(learned: Learned): number {
  let covariance = SLOPE_STRENGTH * USUAL_SLOPE
  let variance = SLOPE_STRENGTH
  for (const { cells } of Object.values(learned)) {
    for (const type of taskTypes) {
      const cell = cells[type]
      if (!cell || cell.w < 1) continue
      covariance += cell.wxy - (cell.wx * cell.wy) / cell.w
      variance += cell.wxx - (cell.wx * cell.wx) / cell.w
    }
  }
  return Math.min(0, Math.max(-1, covariance / variance))
}

export type EstimateInput = {
  readonly record: ArmRecord | undefined
  readonly slope: number
  /** What was expected of this arm for a type, at middling complexity. */
  readonly prior: (type: TaskType) => number
}

export function estimate(
  { record = NEW_ARM, slope, prior }: EstimateInput,
  type: TaskType,
  complexity: number,
): Estimate {
  let weight = 0
  let surplus = 0
  for (const other of taskTypes) {
    const cell = record.cells[other]
    if (!cell) continue
    weight += cell.w
    surplus += surplusOf(cell, prior(other), slope)
  }
  const ability = surplus / (weight + ABILITY_STRENGTH)
  const own = record.cells[type]
  const ownWeight = own?.w ?? 0
  const ownSurplus = own ? surplusOf(own, prior(type), slope) : 0
  const deviation = (ownSurplus - ability * ownWeight) / (ownWeight + TYPE_STRENGTH)
  const mean = within(prior(type) + ability + deviation + slope * (complexity - 0.5))
  const spread =
    Z_90 * Math.sqrt(mean * (1 - mean) * (1 / (weight + ABILITY_STRENGTH) + 1 / (ownWeight + TYPE_STRENGTH)))
  return { mean, low: Math.max(0, mean - spread), high: Math.min(1, mean + spread), weight: ownWeight }
}

/** By how much an arm did better than expected, summed over its outcomes. */
const surplusOf = ({ w, wx, wy }: Cell, prior: number, slope: number): number => wy - prior * w - slope * wx

const Z_90 = 1.645
const within = (mean: number): number => Math.min(0.99, Math.max(0.01, mean))
