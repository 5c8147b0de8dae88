/**
 * Which change of one line a clause asks for: every line, part and new text that fit together, ranked by a log-linear model that was
 * trained on the edits by hand. It sees the whole project, where nano sees eight lines. Pure.
 */
import { type EditLine, editLines, type EditProject } from './lines.ts'
import { listChanges } from './list.ts'
import { anchorsOf, closestOf } from './near.ts'
import { columnForms, newParts, otherForms } from './new.ts'
import { oldParts } from './old.ts'
import { changesOf, mayReplace } from './pair.ts'
import { twoCells } from './twice.ts'
import { unsaidChanges, wishOf } from './unsaid.ts'
import { softmax } from '../opinion/linear.ts'

export type EditChoice = {
  readonly path: string
  readonly number: number
  /** The line as it is, and as it is to be; empty where it goes. */
  readonly before: string
  readonly after: string
  /** Where in the clause the new text stands; nothing where it is not said. */
  readonly at?: number
}

/** Its signs in groups, which many candidates have in common. */
export type EditCandidate = EditChoice & { readonly groups: readonly (readonly string[])[] }

export type EditAsk = {
  readonly clause: string
  readonly project: EditProject
  readonly recent: readonly string[]
}

export type RankedEdit = EditChoice & { readonly share: number }

/** Choices with the same outcome count as one. The likeliest first. */
export function rankEdits(ask: EditAsk, weightOf: (sign: string) => number): RankedEdit[] {
  const candidates = editCandidates(ask)
  if (candidates.length === 0) return []
  const sumOf = sums(weightOf)
  const shares = softmax(candidates.map(({ groups }) => groups.reduce((sum, group) => sum + sumOf(group), 0)))
  const outcomes = new Map<string, RankedEdit>()
  for (const [at, { groups: _, ...choice }] of candidates.entries()) {
    const key = outcomeOf(choice)
    outcomes.set(key, { ...choice, share: (outcomes.get(key)?.share ?? 0) + (shares[at] ?? 0) })
  }
  return [...outcomes.values()].toSorted((a, b) => b.share - a.share)
}

/** Of a group of signs; each sign and each group is looked up once. */
function sums(weightOf: (sign: string) => number): (group: readonly string[]) => number {
  const weights = new Map<string, number>()
  const known = new Map<readonly string[], number>()
  const weigh = (sign: string): number => {
    const weight = weights.get(sign) ?? weightOf(sign)
    weights.set(sign, weight)
    return weight
  }
  return (group) => {
    const sum = known.get(group) ?? group.reduce((total, sign) => total + weigh(sign), 0)
    known.set(group, sum)
    return sum
  }
}

export const outcomeOf = ({ path, number, after }: EditChoice): string => `${path}\n${number}\n${after}`

/** A line further down is tried with fewer new texts: each pair costs time. */
const BEST_LINES = 7
const FEWER = 16

export function editCandidates({ clause, project, recent }: EditAsk): EditCandidate[] {
  const lines = editLines(clause, project, recent)
  const news = newParts(clause, { paths: [...project.texts.keys()], known: knownValues(lines) })
  const wish = wishOf(clause)
  const said = [`said ${wish.kind}`]
  const closest = closestOf(news)
  return lines.flatMap((line, at) => {
    const wished = [`${wish.kind} ${kindSign(line)}`]
    const likely = at < BEST_LINES ? news : news.slice(0, FEWER)
    const place = { path: line.path, number: line.number, before: line.text }
    const olds = oldParts(line, clause)
    const single = olds.flatMap((old) => {
      const anchors = anchorsOf(line, old)
      return [
        ...[...likely, ...columnForms(old, clause), ...otherForms(old, clause)]
          .filter((part) => mayReplace(old, part))
          .flatMap((part) =>
            changesOf({ line, old, part, clause, anchors, closest }).map(({ after, signs }) => ({
              ...place,
              after,
              at: part.start,
              groups: [line.signs, wished, old.signs, part.signs, said, signs],
            })),
          ),
        ...unsaidChanges(line, old, wish).map(({ after, signs }) => ({
          ...place,
          after,
          groups: [line.signs, wished, old.signs, signs],
        })),
      ]
    })
    const double = twoCells(line, olds, likely).map(({ after, at: start, signs }) => ({
      ...place,
      after,
      at: start,
      groups: [line.signs, wished, said, signs],
    }))
    const listed = listChanges(line, likely, { clause, wish }).map(({ after, signs }) => ({
      ...place,
      after,
      groups: [line.signs, wished, said, signs],
    }))
    return [...single, ...double, ...listed]
  })
}

/** What the columns of these lines hold: likely to be written again. */
const knownValues = (lines: readonly EditLine[]): ReadonlySet<string> =>
  new Set(lines.flatMap(({ columns }) => columns.flatMap(({ values }) => [...values])))

const kindSign = ({ signs }: EditLine): string => signs.find((sign) => sign.startsWith('kind:')) ?? ''
