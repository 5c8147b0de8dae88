/** The classifier of cuts between the parts of a request, and how good it is. */
import type { LinearModel } from '../src/nano/opinion/linear.ts'
import type { OpinionModels } from '../src/nano/opinion/load.ts'
import {
  cutShares,
  cutSigns,
  likelyCuts,
  type PlaceToCut,
  placesToCut,
} from '../src/nano/opinion/part-cuts.ts'
import type { Writer } from './nano-opinion-hands.ts'
import { type Example, trainLinear } from './nano-opinion-train.ts'
import { rightCuts } from './nano-opinion-units.ts'

export const trainCuts = (writers: readonly Writer[], known: ReadonlySet<string>): LinearModel =>
  trainLinear(
    writers.flatMap((writer) => cutExamples(writer, known)),
    { rounds: 8, rate: 0.3, decay: 1e-5 },
  )

function cutExamples({ name, project, rows, said }: Writer, known: ReadonlySet<string>): Example[] {
  return [...rows, ...said].flatMap((row) => {
    const { request } = row
    const places = placesToCut(request)
    const right = rightCuts(row, places)
    if (!right) return []
    return places.map((place, at) => ({
      signs: cutSigns(request, places, at, { project: project.vocabulary, known }),
      label: right.has(place) ? 'cut' : 'whole',
      writer: name,
      weight: row.kind === 'no' ? OF_REFUSED : 1,
    }))
  })
}

/** Of how many requests the cuts are right, and were right by the rules alone. */
export function cutScore(
  { rows, project }: Writer,
  { cuts, known }: Pick<OpinionModels, 'cuts' | 'known'>,
): { readonly right: number; readonly byRules: number; readonly all: number } {
  const judged = rows.flatMap((row) => {
    const places = placesToCut(row.request)
    const right = rightCuts(row, places)
    const likely = cutShares(cuts, row.request, places, { project: project.vocabulary, known })
    const isSame = (found: readonly PlaceToCut[]): boolean =>
      found.length === right?.size && found.every((place) => right.has(place))
    return right
      ? [
          {
            isRight: isSame(likelyCuts(places, likely)),
            byRules: isSame(places.filter(({ isRule }) => isRule)),
          },
        ]
      : []
  })
  return {
    right: judged.filter(({ isRight }) => isRight).length,
    byRules: judged.filter(({ byRules }) => byRules).length,
    all: judged.length,
  }
}

/** Where nothing is wanted, a cut does little. */
const OF_REFUSED = 0.5
