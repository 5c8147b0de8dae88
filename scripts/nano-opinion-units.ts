/** Where the requests by hand fall into their parts: what is said of each step tells where one ends and the next begins. Pure. */
import { type PlaceToCut, placesToCut } from '../src/nano/opinion/part-cuts.ts'
import { wordsIn } from '../src/nano/opinion/tokens.ts'
import type { HandRow, Step } from './nano-hands-run.ts'

/** The places where one unit of steps ends and the next begins; nothing where that is unclear. */
export function rightCuts(
  { request, effect }: HandRow,
  places: readonly PlaceToCut[],
): ReadonlySet<PlaceToCut> | undefined {
  const units = unitsOf(effect, SAID_AGAIN.test(request))
  if (units.length <= 1) return new Set()
  const turned = turnedCut(request, units, places)
  if (turned) return new Set([turned])
  const straight = places.filter(({ isTurned }) => !isTurned)
  const found = bestCuts(request, units, straight)
  return found && new Set(found)
}

type Unit = readonly Step[]

/** Steps that are one thing said of several files. */
function unitsOf(effect: readonly Step[], isSaidAgain: boolean): Unit[] {
  const units: Step[][] = []
  for (const step of effect) {
    const last = units.at(-1)
    const before = last?.at(-1)
    if (last && before && isSameOfAnother(before, step, isSaidAgain)) last.push(step)
    else units.push([step])
  }
  return units
}

const SAME_OF_ANOTHER = new Set(['read', 'list', 'copy', 'move', 'delete', 'mkdir'])

function isSameOfAnother(one: Step, other: Step, isSaidAgain: boolean): boolean {
  if (one.do !== other.do) return false
  if (SAME_OF_ANOTHER.has(one.do)) return true
  if (one.do === 'append') return one['content'] === other['content'] && !isSaidAgain
  return one.do === 'edit' && comeOf(one) === comeOf(other) && !isSaidAgain
}

/** "Same in prod": a part of its own. */
const SAID_AGAIN = /\b(?:same|ditto|likewise)\b/i

/** The words that an edit brings. */
const comeOf = ({ old, new: written }: Step): string => {
  const gone = new Set(wordsIn(String(old)))
  return wordsIn(String(written))
    .filter((word) => !gone.has(word))
    .join(' ')
}

type Best = { readonly score: number; readonly cuts: readonly PlaceToCut[] }

function bestCuts(
  request: string,
  units: readonly Unit[],
  places: readonly PlaceToCut[],
): readonly PlaceToCut[] | undefined {
  const ends = [...places, undefined]
  // best[at]: the first units up to the place `at`, which is cut.
  let best: (Best | undefined)[] = ends.map((place) => ({
    score: fitOf(units[0] ?? [], request.slice(0, place?.end)),
    cuts: [],
  }))
  for (const unit of units.slice(1)) {
    const before = best
    best = ends.map((place, at) => {
      let found: Best | undefined
      for (const [from, past] of before.slice(0, at).entries()) {
        const cut = places[from]
        if (!past || !cut) continue
        const fit = fitOf(unit, request.slice(cut.begin, place?.end)) + (cut.isRule ? OF_RULES : 0)
        if (!found || past.score + fit > found.score)
          found = { score: past.score + fit, cuts: [...past.cuts, cut] }
      }
      return found
    })
  }
  const found = best.at(-1)
  return found && found.score >= LEAST * units.length ? found.cuts : undefined
}

/** Of two places that tell as much, that of the rules. */
const OF_RULES = 0.15
/** Below this the request does not say what its steps are. */
const LEAST = 0.8

function turnedCut(
  request: string,
  units: readonly Unit[],
  places: readonly PlaceToCut[],
): PlaceToCut | undefined {
  const [first, second] = units
  if (units.length !== 2 || !first || !second) return undefined
  return places.find(({ isTurned, begin, end }) => {
    const [left, right] = [request.slice(0, end), request.slice(begin)]
    const turned = fitOf(second, left) + fitOf(first, right)
    return isTurned && turned > fitOf(first, left) + fitOf(second, right) + 0.5
  })
}

/** How much of a unit's steps a part of the request speaks of. */
const fitOf = (unit: Unit, text: string): number => {
  const said = wordsIn(text)
  return unit.reduce((sum, step) => sum + stepFit(step, said), 0) / unit.length - said.length * OF_LENGTH
}

/** A longer part says the same by accident. */
const OF_LENGTH = 0.02

function stepFit(step: Step, said: readonly string[]): number {
  const words = [
    ...new Set(
      Object.entries(step).flatMap(([key, value]) =>
        key === 'do' || typeof value !== 'string'
          ? []
          : wordsIn(key === 'old' ? '' : value.replace(/\.\w{1,5}$/, '')),
      ),
    ),
  ]
  const shared = words.filter((word) => said.includes(word)).length / Math.max(1, Math.min(words.length, 6))
  const verbs = VERBS[step.do]?.split(' ') ?? []
  return (said.some((word) => verbs.includes(word)) ? 0.75 : 0) + 1.5 * Math.min(1, shared)
}

const VERBS: Readonly<Record<string, string>> = {
  read: 'show open read display print view cat look see tell give back let check what',
  list: 'list show ls what see look tell contents',
  find: 'find locate where look list search',
  search: 'search find grep look where check mention mentions count tell',
  write: 'write create make save put new store file note empty',
  append: 'add append put write note stick insert end bottom',
  edit: 'change replace set edit update correct fix mark tick swap turn remove delete strike put make bump raise lower rename take switch should',
  mkdir: 'make create mkdir folder new directory',
  copy: 'copy duplicate cp backup clone keep',
  move: 'move rename mv put shift archive',
  delete: 'delete remove rm erase bin throw drop clear nuke kill',
  run: 'run execute start launch build test tests make rebuild check python bash npm lint deploy',
}

/** One part of a request, and the steps it asks for. */
export type UnitPart = { readonly clause: string; readonly steps: readonly Step[] }

/** The parts of a request with their steps, in the order in which they are done; nothing where that is unclear. */
export function unitParts(row: HandRow): UnitPart[] | undefined {
  const { request, effect } = row
  const right = rightCuts(row, placesToCut(request))
  if (!right) return undefined
  const cuts = [...right]
  const said = [undefined, ...cuts].map((cut, at) =>
    request.slice(cut?.begin ?? 0, cuts[at]?.end ?? request.length).trim(),
  )
  const clauses = cuts.some(({ isTurned }) => isTurned) ? said.toReversed() : said
  return unitsOf(effect, SAID_AGAIN.test(request)).map((steps, at) => ({ clause: clauses[at] ?? '', steps }))
}
