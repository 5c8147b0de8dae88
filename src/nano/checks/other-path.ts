/**
 * Signs that another path is meant than the one that was chosen: one that fits the words of the request clearly better. Rules of
 * contradiction.ts. Pure.
 */
import type { Ban, Rule, Words } from '../weights/ban.ts'
import { contentless, nameOf, stands, TARGET, withoutTarget } from '../request/naming.ts'
import { dateOf } from '../paths/dates.ts'
import { betterBy, type Fit, fitOf, holdsAll, saidIn, WORTH } from '../paths/fit.ts'
import type { NanoCall } from '../steps/run.ts'

/** The parameter of each tool that names what is there. An edit is judged by its lines. */
const OBJECTS: Readonly<Record<string, string>> = {
  read_file: 'path',
  data_view: 'path',
  delete_file: 'path',
  copy_file: 'from',
  move_file: 'from',
}

const objectOf = ({ name, input }: NanoCall): string | undefined => {
  const key = name === 'write_file' && input['append'] === true ? 'path' : OBJECTS[name]
  const value = key === undefined ? undefined : input[key]
  return typeof value === 'string' && value !== '.' ? value : undefined
}

/** As much better as another path must fit: where all that speaks for the one speaks for the other, and anyway. */
const CLEARLY = 0.5
const FAR = 1.3
/** A question is also about what is in a file, which no word of its name need say. */
const IN_QUESTION = 0.8

/** "The minutes of 6 May" are not those of 3 April. */
const betterFitting: Rule = (call, words) => {
  const chosen = objectOf(call)
  const path = knownTo(words).find((one) => chosen !== undefined && trimmed(one) === trimmed(chosen))
  if (path === undefined) return undefined
  const clause = besides(call, words)
  const isLook = LOOKS.has(call.name)
  const lines = isLook ? words.sources.lines : []
  const said = saidIn(clause)
  const own = fitOf(path, said, lines)
  if (isLeft(path, own, clause, words)) return undefined
  const least = isLook && QUESTION.test(clause) ? IN_QUESTION : CLEARLY
  const rivals = rivalsOf(path, clause, words).map((other) => ({ other, fit: fitOf(other, said, lines) }))
  const isMeant = ({ other, fit }: Rival): boolean =>
    betterBy(fit, own) >= FAR ||
    (betterBy(fit, own) >= least && holdsAll(fit, own)) ||
    (other.startsWith(path) && isNamedBeyond(fit, own))
  // stock.csv is called stock, low_stock.py only in part.
  const called = rivals.filter(({ fit }) => fit.isWhole && holdsAll(fit, own))
  const isCalled = !own.isWhole && called.length === 1 && called.some(({ fit }) => betterBy(fit, own) > 0)
  return isCalled || rivals.some(isMeant) ? banOf(call, path) : undefined
}

type Rival = { readonly other: string; readonly fit: Fit }

/** "The week 23 roster": a file in roster/ that a further word names. */
const isNamedBeyond = (fit: Fit, own: Fit): boolean =>
  [...fit.signs].some(([sign, worth]) => worth >= 1 && !own.signs.has(sign))

const LOOKS: ReadonlySet<string> = new Set(['read_file', 'data_view', 'search_text'])

const QUESTION = /\?|^\W*(?:who|what|when|where|which|how|why|is|are|was|were|did|does|do|has|have)\w*\b/i

const banOf = ({ name }: NanoCall, path: string): Ban =>
  name === 'copy_file' || name === 'move_file' ? { kind: 'path', path, as: 'old' } : { kind: 'path', path }

/** It is spelled, or one of several, or what was spoken of before. */
function isLeft(path: string, own: Fit, clause: string, words: Words): boolean {
  const said = clause.toLowerCase()
  const isOnly = knownTo(words).filter((other) => nameOf(other) === nameOf(path)).length === 1
  const isSpelled = stands(said, trimmed(path)) || (isOnly && stands(said, nameOf(path)))
  if (!path.endsWith('/') && isSpelled) return true
  if (own.total > 0 && SEVERAL.test(clause)) return true
  // A clause that does not name it goes on with it.
  if (isDone(path, words) && own.total < 1) return true
  return words.recent.length > 0 && POINTS.test(clause.replaceAll(OF_MORE, ' '))
}

const SEVERAL = /\b(?:both|all|each|every|either|two|three|four|everything)\b/i

const POINTS =
  /\b(?:it|its|that|this|them|they|those|these|one|ones|original|there|same|copy|latter|former|first|last|second|found|match(?:es)?|results?)\b/i
/** "The one with the users" is named by what follows. */
const OF_MORE = /\bones? (?:with|about|for|of|called|named|on|from)\b|\b(?:after|before) (?:that|this|it)\b/gi

/** Of the same kind; for a folder that is not called one, also the files in it. */
function rivalsOf(path: string, clause: string, words: Words): string[] {
  const isFolder = path.endsWith('/')
  const isWithin = (other: string): boolean =>
    isFolder && !FOLDERS.test(clause) && !other.endsWith('/') && other.startsWith(path)
  return knownTo(words).filter(
    (other) =>
      other !== path && (other.endsWith('/') === isFolder || isWithin(other)) && !isDone(other, words),
  )
}

/** What a step was about is not meant again; what it listed may be. */
const isDone = (path: string, { recent, last = [] }: Words): boolean =>
  recent.includes(path) && !(last.length > MOST_OF_STEP && last.includes(path))

const MOST_OF_STEP = 2

const FOLDERS =
  /\b(?:folders?|foldr|director(?:y|ies)|dirs?|subfolders?|everything|all|entire|whole|contents?|tree)\b/i

/** A search in one file or folder that neither the request speaks of nor a line that was found, or that fits less than another. */
const otherScope: Rule = ({ name, input }, words) => {
  const { path, pattern } = input
  if (name !== 'search_text' || typeof path !== 'string' || path === '.') return undefined
  const known = knownTo(words)
  const scope = known.find((one) => trimmed(one) === trimmed(path))
  if (scope === undefined) return /[./\\]/.test(path) && !/\s/.test(path) ? undefined : { kind: 'words' }
  const text = String(pattern)
  const said = saidIn(ownWords(words).replaceAll(text, ' '))
  const own = fitOf(scope, said)
  const isFound = words.sources.lines.some(
    (line) => line.path.startsWith(scope) && line.text.toLowerCase().includes(text.toLowerCase()),
  )
  if (own.total === 0) return isFound ? undefined : { kind: 'path', path }
  const isMeant = (other: string): boolean => {
    const fit = fitOf(other, said)
    return betterBy(fit, own) >= CLEARLY && holdsAll(fit, own)
  }
  return known.some((one) => one !== scope && isMeant(one)) ? { kind: 'path', path } : undefined
}

const trimmed = (path: string): string => path.replace(/^\.\//, '').replace(/\/+$/, '').toLowerCase()

const knownTo = ({ sources, recent }: Words): string[] => [
  ...new Set([...sources.paths, ...sources.lines.map((line) => line.path), ...recent]),
]

/** What is said besides what is written and where it goes. What stands before the new place mostly says what goes there. */
function besides(call: NanoCall, words: Words): string {
  const clause = ownWords(words)
  const { to } = call.input
  if (typeof to !== 'string') return contentless(call, clause)
  const rest = withoutTarget(call, clause)
  const before = rest.includes(TARGET) ? rest.slice(0, rest.indexOf(TARGET)) : rest.replace(AS, ' ')
  return names(before, words) ? before : rest
}

const AS = /\b(?:as|called|named)\s+\S+/gi

const names = (text: string, { sources }: Words): boolean => {
  const said = saidIn(text)
  return sources.paths.some((path) => fitOf(path, said).total >= 1)
}

/** A first part that names nothing only tells; what is meant is said in the next one. */
export const ownWords = (words: Words): string =>
  words.request === undefined || words.recent.length > 0 || names(words.clause, words)
    ? words.clause
    : words.request

/** "The last sync": of equal ones that with the latest date. */
const laterDated: Rule = (call, words) => {
  const path = objectOf(call)
  const clause = besides(call, words)
  const isLatest = LATEST.test(clause)
  if (path === undefined || words.recent.length > 0 || (!isLatest && !EARLIEST.test(clause))) return undefined
  const said = saidIn(clause)
  const own = fitOf(path, said)
  const isMeant = (other: string): boolean =>
    folderOf(other) === folderOf(path) &&
    betterBy(fitOf(other, said), own) >= 0 &&
    (isLatest ? dayOf(other) > dayOf(path) : dayOf(other) < dayOf(path))
  const dated = rivalsOf(path, clause, words).filter((other) => dayOf(other) > 0)
  return dayOf(path) > 0 && dated.some(isMeant) ? banOf(call, path) : undefined
}

const LATEST =
  /\b(?:latest|newest|most recent|last)\b(?!\s+(?:\d+|(?:\w+\s+)?(?:lines?|rows?|entr(?:y|ies)|weeks?|months?|years?|times?|night|few|bit|things?|ones?)\b))/i
const EARLIEST = /\b(?:oldest|earliest)\b/i

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const dayOf = (path: string): number => {
  const { year = 0, month = 0, day = 0 } = dateOf(path)
  return year * 10_000 + month * 100 + day
}

/** "Delete his line from the volunteers and add Alex": a later part that names no file goes on with the last one. */
const goesOn: Rule = (call, words) => {
  const path = objectOf(call)
  const isFile = /\.\w+$/.test(words.last?.[0] ?? '')
  if (call.name !== 'write_file' || path === undefined || !isFile || words.recent.includes(path))
    return undefined
  return fitOf(path, saidIn(besides(call, words))).total === 0 ? banOf(call, path) : undefined
}

/** "Delete the old invoice", of two in invoices/old: neither is named. */
const oneOfEqual: Rule = (call, words) => {
  const path = objectOf(call)
  if (!LOSES.has(call.name) || path === undefined || words.recent.length > 0) return undefined
  const clause = besides(call, words)
  const said = saidIn(clause)
  const own = fitOf(path, said)
  const isNamed = [...own.signs.values()].some((worth) => worth >= WORTH.slip)
  if (isNamed || SEVERAL.test(clause) || isLeft(path, own, clause, words)) return undefined
  const isEqual = (other: string): boolean =>
    folderOf(other) === folderOf(path) && betterBy(fitOf(other, said), own) === 0
  return rivalsOf(path, clause, words).some(isEqual) ? banOf(call, path) : undefined
}

const LOSES: ReadonlySet<string> = new Set(['delete_file', 'move_file'])

export const otherPaths: readonly Rule[] = [goesOn, oneOfEqual, betterFitting, laterDated, otherScope]
