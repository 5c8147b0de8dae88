/**
 * What a clause gives a command to work on: paths and folders that its words name, the names of files without ending, numbers, months,
 * codes and plain words, each with what speaks for it. Pure.
 */
import { datesSaid } from '../paths/dates.ts'
import { numbersOf } from '../request/spans.ts'
import { stopWords } from '../request/words.ts'
import { wordBefore } from '../opinion/part.ts'
import { isMark, type PathProject } from '../paths/project.ts'
import { wordsIn } from '../opinion/tokens.ts'

type GivenKind =
  | 'path'
  | 'folder'
  | 'recent'
  | 'stem'
  | 'above'
  | 'number'
  | 'month'
  | 'code'
  | 'word'
  | 'quote'

export type Given = {
  readonly text: string
  readonly kind: GivenKind
  /** Where the clause names it. */
  readonly at: number
  /** What speaks for it, apart from the command. */
  readonly signs: readonly string[]
}

export type GivenAsk = {
  readonly clause: string
  readonly project: PathProject
  readonly recent: readonly string[]
}

type Token = { readonly word: string; readonly at: number }

type Scored = {
  readonly path: string
  readonly at: number
  readonly score: number
  readonly isSpelled: boolean
  readonly isTyped: boolean
  readonly share: number
}

/** `own`: words that name the command itself; `but`: a path that is the command. */
export function givenIn(ask: GivenAsk, own: ReadonlySet<string>, but?: string): Given[] {
  const { clause, project, recent } = ask
  const words = tokensOf(clause, /[\p{L}\p{N}]+/gu).filter(
    ({ word, at }) =>
      (word.length > 2 || isMark(word, at) || isLetter(word, project)) && !own.has(word.toLowerCase()),
  )
  const lowered = words.map(({ word, at }) => ({ word: word.toLowerCase(), at }))
  const paths = named(project.files, lowered, ask)
    .filter(({ path }) => path !== but)
    .slice(0, MOST_PATHS)
  const folders = named(project.folders, lowered, ask).slice(0, MOST_FOLDERS)
  const latest = recent.find((path) => path !== but)
  return unique([
    ...paths.map((one, rank) => ({ ...given('path', one, rank, clause) })),
    ...folders.map((one, rank) =>
      given('folder', { ...one, path: one.path.replace(/\/$/, '') }, rank, clause),
    ),
    ...(latest === undefined
      ? []
      : [{ text: latest.replace(/\/$/, ''), kind: 'recent', at: -1, signs: [] } as const]),
    ...stemsOf(paths, folders, clause),
    ...numbersIn(clause),
    ...monthsIn(clause, project),
    ...tokensIn(clause, own, but ?? ''),
    ...titleIn(clause),
  ])
}

/** "Hall b" in a project with hall_b.csv. */
const isLetter = (word: string, { files }: PathProject): boolean =>
  /^[b-hj-z]$/i.test(word) && files.some((path) => wordsIn(nameOf(path)).includes(word.toLowerCase()))

const MOST_PATHS = 4
const MOST_FOLDERS = 2
const MOST_STEMS = 3
const MOST_TOKENS = 6

const tokensOf = (clause: string, form: RegExp): Token[] =>
  Array.from(clause.matchAll(form), ({ 0: word, index: at }) => ({ word, at }))

const SPELLED = 6
const SPELLED_NAME = 4
const OF_FOLDER = 0.5
const OF_TYPE = 0.3

/** Those that the words name, the best first. */
function named(paths: readonly string[], words: readonly Token[], { clause, project }: GivenAsk): Scored[] {
  return paths
    .map((path): Scored => {
      const { pieces, folders, isTyped, first } = project.mentionsOf(path, words)
      const name = nameOf(path)
      const isWhole = clause.includes(path.replace(/\/$/, ''))
      const isSpelled = isWhole || (/\.\w+$/.test(name) && clause.includes(name))
      const rarity = [...pieces].reduce((sum, piece) => sum + project.rarityOf(piece), 0)
      const spelled = isWhole ? SPELLED : isSpelled ? SPELLED_NAME : 0
      const score = rarity + spelled + (rarity > 0 ? folders * OF_FOLDER + (isTyped ? OF_TYPE : 0) : 0)
      const all = wordsIn(name.replace(/\.\w+$/, '')).length
      const at = isSpelled ? clause.indexOf(isWhole ? path.replace(/\/$/, '') : name) : (first ?? -1)
      return { path, at, score, isSpelled, isTyped, share: pieces.size / Math.max(1, all) }
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.share - a.share)
}

const nameOf = (path: string): string =>
  path.replace(/\/$/, '').slice(path.replace(/\/$/, '').lastIndexOf('/') + 1)

function given(
  kind: GivenKind,
  { path, at, isSpelled, isTyped, share }: Scored,
  rank: number,
  clause: string,
): Given {
  return {
    text: path,
    kind,
    at,
    signs: [
      `rank:${rank}`,
      `share:${share >= 1 ? 'all' : share >= 0.5 ? 'half' : 'few'}`,
      ...(isSpelled ? ['spelled'] : []),
      ...(isTyped ? ['typed'] : []),
      `ending:${/\.\w+$/.exec(path)?.[0] ?? ''}`,
      `before:${wordBefore(clause, at)}`,
    ],
  }
}

/** `april` of takings/april.csv, `paeds` of stock/paeds/stock.csv. */
function stemsOf(paths: readonly Scored[], folders: readonly Scored[], clause: string): Given[] {
  const stems = paths
    .slice(0, MOST_STEMS)
    .map((one, rank) =>
      given('stem', { ...one, path: nameOf(one.path).replace(/(?<=.)\.\w+$/, '') }, rank, clause),
    )
  const above = folders.map((one, rank) => given('above', { ...one, path: nameOf(one.path) }, rank, clause))
  return [...stems, ...above].filter(({ text }) => /^[\w-]+$/.test(text))
}

function numbersIn(clause: string): Given[] {
  const decimals = tokensOf(clause, /(?<![\w.-])\d+\.\d+(?![\w-]|\.\d)/g).map(({ word }) => word)
  const whole = numbersOf(clause.replaceAll(/\d+\.\d+/g, ' '))
  return [...decimals, ...whole].slice(0, MOST_NUMBERS).map((text) => {
    const at = clause.indexOf(text)
    return {
      text,
      kind: 'number' as const,
      at,
      signs: [`before:${at < 0 ? '' : wordBefore(clause, at)}`, ...(at < 0 ? ['in words'] : [])],
    }
  })
}

const MOST_NUMBERS = 3
const MOST_YEARS = 2

/** "September" in a project of 2025 is 2025-09. */
function monthsIn(clause: string, { files, texts }: PathProject): Given[] {
  const months = datesSaid(clause).dates.flatMap(({ day, month, year }) =>
    month !== undefined && day === undefined ? [{ month: String(month).padStart(2, '0'), year }] : [],
  )
  if (months.length === 0) return []
  const counts = new Map<string, number>()
  for (const text of [...files, ...texts.values()])
    for (const [, year = ''] of text.matchAll(/(?<!\d)(20[0-4]\d)-[01]\d/g))
      counts.set(year, (counts.get(year) ?? 0) + 1)
  const years = [...counts].toSorted(([, a], [, b]) => b - a).map(([year]) => year)
  return months.flatMap(({ month, year }) =>
    (year === undefined ? years.slice(0, MOST_YEARS) : [String(year)]).map((one, rank) => ({
      text: `${one}-${month}`,
      kind: 'month' as const,
      at: 0,
      signs: [`rank:${rank}`],
    })),
  )
}

const LEADS = /\b(?:for|to|on|with|against|at|of|over|from|as|the|in|only|and)\s+["'`]?$/i

/** Codes (`nm-ro-8`, SL30) and words as they stand. */
function tokensIn(clause: string, own: ReadonlySet<string>, but: string): Given[] {
  const name = nameOf(but)
  const tokens = tokensOf(clause, /[^\s,;!?"'`“”()]+/g)
    .map(({ word, at }) => ({ word: word.replace(/[.:]+$|['’]s$/g, ''), at }))
    .filter(({ word }) => !/^[-–<>|&=+]+$|^-/.test(word) && word !== but && word !== name && word.length > 1)
    .filter(({ word }) => !own.has(word.toLowerCase()) && !stopWords.has(word.toLowerCase()))
    .filter(({ word }) => !/^\d+(?:\.\d+)?$/.test(word) && !/\.(?:sh|py|js|mjs|rb|pl|lua)$/.test(word))
  return tokens
    .map(({ word, at }, index): Given => {
      const kind = /[\d_/:@.-]|^[A-Z]{2,}/.test(word) ? 'code' : 'word'
      return {
        text: word,
        kind,
        at,
        signs: [
          `before:${wordBefore(clause, at)}`,
          `led:${LEADS.test(clause.slice(0, at))}`,
          `last:${index === tokens.length - 1}`,
          `case:${/^[A-Z]/.test(word)}`,
        ],
      }
    })
    .toReversed()
    .slice(0, MOST_TOKENS)
}

function titleIn(clause: string): Given[] {
  const found =
    /\b(?:title|called|named|name|message)\s+(?:is\s+)?["“']?([^"”']+?)["”']?[.!]?$/i.exec(clause) ??
    /["“]([^"”]+)["”]/.exec(clause)
  const [, title] = found ?? []
  return title === undefined ? [] : [{ text: `"${title}"`, kind: 'quote', at: found?.index ?? 0, signs: [] }]
}

/** What is the same in several ways is one, with all that speaks for it. */
function unique(all: readonly Given[]): Given[] {
  const found = new Map<string, Given>()
  for (const one of all) {
    const same = found.get(one.text)
    found.set(one.text, same ? { ...same, signs: [...same.signs, `also:${one.kind}`] } : one)
  }
  return [...found.values()]
}
