/**
 * How well a path fits the words of a request: by the words of its name, of its folders and of its type, by its dates, and, where something
 * is only looked at, by what its lines say. Two paths are compared by it; what it says of one alone means little. Pure.
 */
import type { ListedLine } from '../weights/format.ts'
import { type DateSaid, datesSaid, dateOf } from './dates.ts'
import { isNear, rootOf, singular } from './named.ts'
import { isSameRoot, wordsIn } from '../request/naming.ts'
import { numberWords, stopWords, typeWords } from '../request/words.ts'

/** What of the request speaks for a path, and how much. */
export type Fit = {
  readonly signs: ReadonlyMap<string, number>
  readonly total: number
  /** Every word of its name is said. */
  readonly isWhole: boolean
}

/** The words of a request that may name a path. */
export type Said = {
  readonly words: readonly string[]
  /** Two that stand side by side, as one: `todo` of "to-do". */
  readonly pairs: readonly string[]
  readonly dates: readonly DateSaid[]
}

/** What a word tells, by where it is found. */
export const WORTH = {
  name: 1,
  ending: 0.8,
  slip: 0.7,
  folder: 0.6,
  type: 0.4,
  line: 0.4,
  whole: 0.3,
} as const

export function saidIn(text: string): Said {
  const { dates, rest } = datesSaid(text.replaceAll(LINES, ' ').replaceAll(NEGATED, ' '))
  const all = wordsIn(rest)
  const verb = all.slice(0, FIRST).find((word) => VERBS.has(word))
  const words = [...new Set(all)].filter(
    (word) => (word.length > 2 || /\d/.test(word)) && !stopWords.has(word) && word !== verb,
  )
  const pairs = all.slice(1).map((word, at) => `${all[at] ?? ''}${word}`)
  return { words, pairs: pairs.filter((pair) => pair.length > 3), dates }
}

/** "Not the draft": what is not meant speaks for nothing. */
const NEGATED = /\bnot\s+(?:(?:the|that|those|this|of|an?|my)\s+){0,3}[\w.-]+/gi

/** "Lines 5 to 9", "the first ten lines": no number of a name. */
const LINES =
  /\b(?:lines?|rows?)\s+\d+(?:\s*(?:to|-|–|through|till|until|and)\s*\d+)?|\b(?:first|last|top|bottom)\s+(?:\d+|\w+)\s+(?:lines?|rows?|entries)\b/gi

/** How far into a request its verb stands. */
const FIRST = 6
const VERBS = new Set(
  (
    'add append cat check copy count create delete display edit find get grep list locate make move note open print put read remove ' +
    'rename replace run save search set show start update view write'
  ).split(' '),
)

export function fitOf(path: string, said: Said, lines: readonly ListedLine[] = []): Fit {
  const signs = new Map<string, number>()
  const take = (sign: string, worth: number): void => {
    if (worth > (signs.get(sign) ?? 0)) signs.set(sign, worth)
  }
  const parts = partsOf(path)
  const texts = lines.filter((line) => line.path === path).flatMap(({ text }) => wordsIn(text))
  for (const word of said.words) {
    take(word, worthIn(word, parts))
    if (word.length > 3 && texts.some((one) => isOneWord(word, one))) take(word, WORTH.line)
  }
  for (const pair of said.pairs)
    if (isCalled(pair, parts) && ![...signs.keys()].some((word) => pair.includes(word)))
      take(pair, WORTH.name)
  for (const [sign, worth] of dateSigns(path, said.dates)) take(sign, worth)
  const isSaid = (part: string): boolean =>
    said.words.some((word) => matches(word, part) > 0) || said.pairs.includes(part)
  const telling = parts.name.filter((part) => !OF_DATE.test(part))
  const share = telling.filter(isSaid).length / Math.max(1, telling.length)
  const total = [...signs.values()].reduce((sum, worth) => sum + worth, WORTH.whole * share)
  return { signs, total, isWhole: share === 1 }
}

/** Users do not say the date of a file that is the only one of its kind. */
const OF_DATE =
  /^(?:(?:19|20)\d\d|[0-2]\d|3[01]|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:[a-z]{3,6})?|june|july)$/

export type Parts = {
  readonly name: readonly string[]
  readonly folders: readonly string[]
  readonly type: string
}

/** Dates are compared as such. */
export function partsOf(path: string): Parts {
  const levels = path.replace(/\/+$/, '').split('/')
  const name = levels.pop() ?? ''
  const at = path.endsWith('/') ? -1 : name.lastIndexOf('.')
  const stem = at > 0 ? name.slice(0, at) : name
  return {
    name: [...new Set(piecesOf(stem))],
    folders: levels.flatMap(piecesOf),
    type: at >= 0 ? name.slice(at + 1).toLowerCase() : '',
  }
}

/** `wk23` is also 23, `budgetPlan` is budget and plan. */
const piecesOf = (name: string): string[] => {
  const pieces = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return [...wordsIn(pieces), ...wordsIn(pieces).flatMap((word) => /^[a-z]+(\d+)$/.exec(word)?.[1] ?? [])]
}

function worthIn(word: string, { name, folders, type }: Parts): number {
  const named = Math.max(0, ...name.map((part) => matches(word, part)))
  const above = Math.max(0, ...folders.map((part) => matches(word, part))) * WORTH.folder
  if (type === '') return Math.max(named, above)
  const isType = typeWords.get(word) === type || (KINDS[word] ?? KINDS[singular(word)] ?? []).includes(type)
  const isEnding = !typeWords.has(word) && singular(word) === singular(type)
  return Math.max(named, above, isType ? WORTH.type : 0, isEnding ? WORTH.ending : 0)
}

/** Types that are called by what they are for. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  script: ['py', 'sh', 'js', 'mjs', 'ts', 'rb', 'pl', 'ps1', 'bat'],
  spreadsheet: ['csv', 'tsv', 'xlsx'],
  sheet: ['csv', 'tsv', 'xlsx'],
  table: ['csv', 'tsv', 'xlsx'],
  image: ['png', 'jpg', 'jpeg', 'svg', 'gif'],
  photo: ['jpg', 'jpeg', 'png'],
  picture: ['jpg', 'jpeg', 'png'],
  log: ['log'],
}

export function matches(word: string, part: string): number {
  if (isOneWord(word, part)) return WORTH.name
  const number = numberWords.get(word)
  if (number !== undefined && /^\d+$/.test(part) && Number(part) === number) return WORTH.name
  const isSlip = word.length > 4 && part.length > 4 && /^[a-z]+$/.test(word) && isNear(word, part)
  return isSlip ? WORTH.slip : 0
}

/** The same word in another form. */
export const isOneWord = (word: string, other: string): boolean =>
  isSameRoot(word, other) ||
  (word.length > 2 && (`${word}s` === other || word === `${other}s`)) ||
  (word.length > 4 && ofOne(word) === ofOne(other)) ||
  (rootOf(word) !== '' && rootOf(word) === rootOf(other))

/** `batteries` is about a battery. */
const ofOne = (word: string): string => word.replace(/ies$/, 'y')

const isCalled = (pair: string, { name }: Parts): boolean =>
  name.some((part) => part === pair || `${part}s` === pair) || name.join('') === pair

/** A day counts only in its month, where that is said. */
function dateSigns(path: string, said: readonly DateSaid[]): (readonly [string, number])[] {
  const own = dateOf(path)
  return said.flatMap(({ day, month, year }, at) => {
    const isMonth = month !== undefined && own.month === month
    const isDay = day !== undefined && own.day === day && (month === undefined || isMonth)
    const isYear = year !== undefined && own.year === year
    const isOther = month !== undefined && own.month !== undefined && !isMonth
    return [
      ...(isMonth ? [[`month${at}`, WORTH.name] as const] : []),
      ...(isDay ? [[`day${at}`, WORTH.name] as const] : []),
      ...(isYear && !isOther ? [[`year${at}`, WORTH.name] as const] : []),
    ]
  })
}

/** How much better another path fits. */
export const betterBy = (other: Fit, own: Fit): number => other.total - own.total

/** All that speaks for one speaks for the other as well. */
export const holdsAll = (other: Fit, own: Fit): boolean =>
  [...own.signs].every(([sign, worth]) => (other.signs.get(sign) ?? 0) + 0.4 >= worth)
