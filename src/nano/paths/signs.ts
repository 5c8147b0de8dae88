/**
 * What speaks for a path when a clause is about one of several: its name, its folder and its type as they are said, what its lines
 * say, its date, the steps before. Numbers become buckets, so that a linear model can weigh them. Pure.
 */
import { nameOf, stands } from '../request/naming.ts'
import { dateOf, type DateSaid } from './dates.ts'
import { partsOf } from './fit.ts'
import type { Mentioned } from './project.ts'

/** What the path is for: the tool's action, or `scope` for where a search looks. */
export type PathRole = 'read' | 'append' | 'delete' | 'copy' | 'move' | 'list' | 'scope'

/** The project's own folder, and the search that has no scope. */
export const ROOT = '.'

export type ScoredPath = {
  readonly path: string
  readonly found: Mentioned
  readonly fit: number
  /** Of the words of its name that are said, how few other paths have them. */
  readonly rare: number
  /** Of the words of the clause that its text has, how few other files have them; of its best line. */
  readonly text: number
  readonly line: number
}

export type PathFacts = {
  readonly clause: string
  readonly said: string
  readonly role: PathRole
  readonly recent: readonly string[]
  readonly dates: readonly DateSaid[]
  readonly top: Readonly<Record<'fit' | 'rare' | 'text' | 'line', readonly [number, number]>>
  /** Where the paths that are named are named first, ascending. */
  readonly places: readonly number[]
  readonly isQuestion: boolean
  readonly points: boolean
  readonly isSpelled: boolean
  readonly latest: ReadonlyMap<string, number>
}

type Known = Pick<PathFacts, 'clause' | 'role' | 'recent' | 'dates'>

export function factsOf(all: readonly ScoredPath[], known: Known): PathFacts {
  const said = known.clause.toLowerCase()
  const top = (key: 'fit' | 'rare' | 'text' | 'line'): readonly [number, number] => {
    const [first = 0, second = 0] = all.map((one) => one[key]).toSorted((a, b) => b - a)
    return [first, second]
  }
  const places = [
    ...new Set(all.flatMap(({ found }) => (found.first === undefined ? [] : [found.first]))),
  ].toSorted((a, b) => a - b)
  const latest = new Map<string, number>()
  for (const { path } of all)
    latest.set(familyOf(path), Math.max(dayOf(path), latest.get(familyOf(path)) ?? 0))
  return {
    ...known,
    said,
    top: { fit: top('fit'), rare: top('rare'), text: top('text'), line: top('line') },
    places,
    isQuestion: QUESTION.test(known.clause),
    points: POINTS.test(known.clause),
    isSpelled: all.some(({ path }) => isSpelled(path, said)),
    latest,
  }
}

const QUESTION =
  /\?|^\W*(?:(?:so|and|ok|hey|well|hmm)[\s,]+)*(?:who|whos|what|whats|when|where|wheres|which|how|why|is|are|was|were|did|does|do|has|have)\b/i
const POINTS = /\b(?:it|its|that|this|them|they|those|these|one|there|same|copy|latter|former)\b/i

export function pathSigns(one: ScoredPath, facts: PathFacts): string[] {
  const signs = [
    ...nameSigns(one, facts),
    ...contentSigns(one, facts),
    ...placeSigns(one, facts),
    ...dateSigns(one.path, facts),
    ...recentSigns(one.path, facts),
  ]
  return [...signs, ...signs.map((sign) => `${facts.role}|${sign}`)]
}

function nameSigns(
  { path, found, fit, rare }: ScoredPath,
  { said, top, clause, isSpelled: isAny }: PathFacts,
): string[] {
  const { name, type } = partsOf(path)
  const isFolder = path.endsWith('/')
  const telling = name.filter((part) => !/^\d+$/.test(part))
  const share = telling.filter((part) => found.pieces.has(part)).length / Math.max(1, telling.length)
  const spelled = isSpelled(path, said)
  const unsaid = STALE.exec(path.toLowerCase())?.[0]
  return [
    `fit:${bucket(fit, [0.01, 0.5, 0.9, 1.2, 1.6, 2.2, 3])}`,
    `fit-lead:${lead(fit, top.fit)}`,
    `rare:${bucket(rare, [0.01, 1, 2, 3, 4, 6])}`,
    `rare-lead:${lead(rare / 2, [top.rare[0] / 2, top.rare[1] / 2])}`,
    `share:${bucket(share, [0.01, 0.4, 0.6, 0.99])}`,
    `named:${Math.min(3, found.pieces.size)} folders:${Math.min(2, found.folders)}`,
    `ending:${isFolder ? '/' : type}`,
    ...(found.isTyped ? [`type-said`] : []),
    ...(spelled
      ? [`spelled:${stands(said, plain(path)) ? 'path' : 'name'}`]
      : isAny
        ? ['other-spelled']
        : []),
    ...(unsaid === undefined ? [] : [said.includes(unsaid) ? 'stale-said' : 'stale-unsaid']),
    ...(unsaid === undefined && STALE.test(said) ? ['fresh-but-stale-said'] : []),
    `depth:${Math.min(3, path.split('/').length)}`,
    ...(isFolder && FOLDERS.test(clause) ? ['folder-said'] : []),
  ]
}

const STALE =
  /(?<![a-z])(?:old|archived?|drafts?|backups?|bak|copy|templates?|examples?|samples?|tests?|v\d|legacy|deprecated|final|new|tmp|temp)(?![a-z])/
const FOLDERS = /\b(?:folders?|director(?:y|ies)|dirs?|subfolders?|everything|contents?|whole|all)\b/i

export const plain = (path: string): string => path.toLowerCase().replace(/\/+$/, '')

const isSpelled = (path: string, said: string): boolean =>
  stands(said, plain(path)) || (path.includes('.') && stands(said, nameOf(path)))

function contentSigns({ text, line, fit }: ScoredPath, { top, isQuestion }: PathFacts): string[] {
  const signs = [
    `text:${bucket(text, [0.01, 1, 2, 4, 7])}`,
    `text-lead:${lead(text / 2, [top.text[0] / 2, top.text[1] / 2])}`,
    `line:${bucket(line, [0.01, 1, 2, 3, 5, 8])}`,
    `line-lead:${lead(line / 2, [top.line[0] / 2, top.line[1] / 2])}`,
  ]
  const named = fit > 0.9 ? 'named' : fit > 0 ? 'near' : 'unnamed'
  return [...signs, ...signs.slice(1).map((sign) => `${isQuestion ? 'question' : 'told'} ${named} ${sign}`)]
}

function placeSigns({ found }: ScoredPath, { clause, places }: PathFacts): string[] {
  if (found.first === undefined) return ['unmentioned']
  const before = clause.slice(0, found.first)
  const order = places.indexOf(found.first)
  return [
    `mention:${Math.min(3, order)}`,
    `mention-back:${Math.min(3, places.length - 1 - order)}`,
    `before:${prepositionOf(before)}`,
    ...(NEGATED.test(before) ? ['negated'] : []),
  ]
}

const NEGATED =
  /\b(?:not|except|rather than|instead of|besides)\s+(?:(?:the|that|my|our|in)\s+){0,2}(?:\w+\s+){0,1}$/i
const PREPOSITIONS = new Set(
  'in into to from of on at under with for as about inside by at onto out off like than called named'.split(
    ' ',
  ),
)

const prepositionOf = (before: string): string =>
  (before.toLowerCase().match(/[\p{L}]+/gu) ?? []).slice(-4).findLast((word) => PREPOSITIONS.has(word)) ??
  'none'

function dateSigns(path: string, { clause, dates, latest }: PathFacts): string[] {
  const own = dateOf(path)
  const isDated = own.year !== undefined || own.month !== undefined
  if (!isDated) return dates.length > 0 ? ['undated-but-date-said'] : []
  const clashes = (said: DateSaid): boolean =>
    (said.month !== undefined && own.month !== undefined && said.month !== own.month) ||
    (said.year !== undefined && own.year !== undefined && said.year !== own.year) ||
    (said.day !== undefined && own.day !== undefined && said.day !== own.day)
  const family = latest.get(familyOf(path)) ?? 0
  const age = family === dayOf(path) ? 'latest' : 'earlier'
  const [, year] = YEAR.exec(clause) ?? []
  if (year !== undefined) return [`year-said:${year.toLowerCase()} ${age}`]
  if (dates.length === 0) return [`dated:${age}`]
  return dates.every(clashes) ? ['date-clash'] : ['date-said']
}

const YEAR = /\b(this|current|last|previous|next) year/i

/** The path without its numbers and months. */
const familyOf = (path: string): string =>
  path
    .toLowerCase()
    .replaceAll(
      /\d+|(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?(?![a-z])/g,
      '#',
    )

const dayOf = (path: string): number => {
  const { year = 0, month = 0, day = 0 } = dateOf(path)
  return year * 10_000 + month * 100 + day
}

function recentSigns(path: string, { recent, points }: PathFacts): string[] {
  if (recent.length === 0) return []
  const at = recent.findIndex((one) => plain(one) === plain(path))
  const lately = at < 0 ? 'other' : at === 0 ? 'last' : 'earlier'
  return [`recent:${lately}`, `recent:${lately} ${points ? 'it' : 'unsaid'}`]
}

export function rootSigns({ clause, role, top, places }: PathFacts): string[] {
  const signs = [
    'root',
    ...(HERE.test(clause) ? ['root here-said'] : []),
    ...(FOLDERS.test(clause) ? ['root folder-said'] : []),
    `root fit-top:${bucket(top.fit[0], [0.01, 0.5, 0.9, 1.2, 1.6, 2.2])}`,
    `root places:${Math.min(2, places.length)}`,
    `root in:${/\b(?:in|inside|within|under|from|across|of)\s+(?:the|my|our|this|that)?\s*\w/i.test(clause)}`,
  ]
  return [...signs, ...signs.map((sign) => `${role}|${sign}`)]
}

const HERE =
  /\b(?:here|root|top level|this folder|this directory|whole (?:folder|project|repo|thing|tree)|project|repo|everywhere|anywhere|everything|all (?:the )?(?:files|folders|notes)|top)\b/i

const bucket = (value: number, edges: readonly number[]): number =>
  edges.filter((edge) => value >= edge).length

/** How far it is ahead of the next one, or behind the first one. */
function lead(value: number, [first, second]: readonly [number, number]): string {
  if (first <= 0) return 'none'
  if (value < first) return `behind${bucket(first - value, [0.2, 0.5, 1, 2])}`
  return first === second ? 'even' : `ahead${bucket(first - second, [0.2, 0.5, 1, 2])}`
}
