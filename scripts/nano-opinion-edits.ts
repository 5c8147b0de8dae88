/** Trains the ranking of edits: a log-linear model over the candidates of each edit by hand, with AdaGrad. */
import { clausesOf } from '../src/embedded/nano/clauses.ts'
import { createPathIndex } from '../src/embedded/nano/paths.ts'
import {
  type EditAsk,
  type EditCandidate,
  editCandidates,
  outcomeOf,
} from '../src/embedded/opinion/edit-ranking.ts'
import { hashOf, type LinearModel, softmax } from '../src/embedded/opinion/linear.ts'
import type { HandRow, Step } from './nano-hands-run.ts'

export type EditExample = { readonly id: string; readonly ask: EditAsk; readonly wanted: string }

/** The edits of one line among the steps of a hand, with the clause that asks for each. */
export function editExamples(
  folder: Readonly<Record<string, string>>,
  rows: readonly HandRow[],
): EditExample[] {
  const texts = new Map(Object.entries(folder))
  const project = { texts, index: createPathIndex([...texts.keys()]) }
  return rows.flatMap(({ id, request, effect }) => {
    const clauses = clausesOf(request)
    if (effect.length !== 1 && clauses.length !== effect.length) return []
    return effect.flatMap((step, at) => {
      const before = effect.slice(0, at)
      const wanted = step.do === 'edit' ? outcomeIn(texts, step, before) : undefined
      const clause = effect.length === 1 ? request : (clauses[at] ?? '')
      const recent = before
        .flatMap((one) => [one['to'], one['path']])
        .filter((path) => typeof path === 'string')
        .toReversed()
      return wanted === undefined ? [] : [{ id, ask: { clause, project, recent }, wanted }]
    })
  })
}

/** Nothing where more than one line changes, or an earlier step changed the file. */
function outcomeIn(
  texts: ReadonlyMap<string, string>,
  step: Step,
  before: readonly Step[],
): string | undefined {
  const path = String(step['path'])
  const text = texts.get(path)
  if (
    text === undefined ||
    step['all'] === true ||
    before.some((one) => one['path'] === path && one.do !== 'read')
  )
    return undefined
  const old = text.split('\n')
  const now = text.replace(String(step['old']), () => String(step['new'])).split('\n')
  const at = old.findIndex((line, index) => line !== now[index])
  if (at < 0) return undefined
  const isSame = now.length === old.length && old.slice(at + 1).join('\n') === now.slice(at + 1).join('\n')
  const isRemoved = now.length === old.length - 1 && old.slice(at + 1).join('\n') === now.slice(at).join('\n')
  if (!isSame && !isRemoved) return undefined
  return outcomeOf({ path, number: at + 1, before: '', after: isRemoved ? '' : (now[at] ?? '').trim() })
}

type Row = {
  /** Of each candidate. */
  readonly signs: readonly Int32Array[]
  readonly right: readonly boolean[]
  /** The logarithm of how many candidates each stands for. */
  readonly offsets: readonly number[]
}

/** There are thousands of candidates for each; so many of the wrong ones are enough. Those of the right line are the hardest. */
const MOST_BESIDE = 300
const MOST_ELSEWHERE = 400
const ROUNDS = 6
const RATE = 0.15
const DECAY = 1e-4
/** A sign of fewer edits is an accident. */
const FEWEST_EDITS = 3
/** What is smaller says nothing. */
const LEAST_WEIGHT = 0.04

export function trainEdits(examples: readonly EditExample[]): LinearModel {
  const ids = new Map<string, number>()
  const rows = examples.flatMap((example) => toRow(example, ids) ?? [])
  const weights = new Float32Array(ids.size)
  const squares = new Float32Array(ids.size).fill(1e-4)
  const isKept = keptSigns(rows, ids.size)
  for (let round = 0; round < ROUNDS; round++)
    for (const row of rows)
      for (const [id, slope] of slopesOf(row, weights)) {
        const full = isKept[id] ? slope + DECAY * (weights[id] ?? 0) : 0
        squares[id] = (squares[id] ?? 0) + full * full
        weights[id] = (weights[id] ?? 0) - (RATE * full) / Math.sqrt(squares[id] ?? 1)
      }
  console.log(`${rows.length} of ${examples.length} edits are within reach`)
  return toModel(ids, weights)
}

function keptSigns(rows: readonly Row[], count: number): boolean[] {
  const edits = new Int32Array(count)
  for (const { signs } of rows)
    for (const id of new Set(signs.flatMap((row) => [...row]))) edits[id] = (edits[id] ?? 0) + 1
  return Array.from(edits, (many) => many >= FEWEST_EDITS)
}

/** Nothing where the right one is not among the candidates. */
function toRow({ ask, wanted }: EditExample, ids: Map<string, number>): Row | undefined {
  const idOf = (sign: string): number => {
    const id = ids.get(sign) ?? ids.size
    ids.set(sign, id)
    return id
  }
  const candidates = editCandidates(ask)
  const isRight = (one: EditCandidate): boolean => outcomeOf(one) === wanted
  const right = candidates.filter(isRight)
  if (right.length === 0) return undefined
  const isBeside = ({ path, number }: EditCandidate): boolean =>
    right.some((one) => one.path === path && one.number === number)
  const wrong = candidates.filter((one) => !isRight(one))
  const drawn = [
    { ones: right, offset: 0 },
    drawOf(wrong.filter(isBeside), MOST_BESIDE),
    drawOf(
      wrong.filter((one) => !isBeside(one)),
      MOST_ELSEWHERE,
    ),
  ]
  const kept = drawn.flatMap(({ ones, offset }) => ones.map((one) => ({ one, offset })))
  return {
    signs: kept.map(({ one }) => Int32Array.from(one.groups.flat(), idOf)),
    right: kept.map((_, at) => at < right.length),
    offsets: kept.map(({ offset }) => offset),
  }
}

/** Every so many-th of them, each for all that were left out. */
function drawOf(ones: readonly EditCandidate[], most: number): { ones: EditCandidate[]; offset: number } {
  const step = Math.max(1, ones.length / most)
  const isDrawn = (at: number): boolean => Math.floor(at / step) !== Math.floor((at - 1) / step)
  return { ones: ones.filter((_, at) => isDrawn(at)), offset: Math.log(step) }
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
    labels: ['edit'],
    step,
    rows: new Map(telling.map(([sign], row) => [hashOf(sign), row])),
    weights: Int8Array.from(telling, ([, id]) => Math.round((weights[id] ?? 0) / step)),
  }
}
