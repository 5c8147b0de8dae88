/** The signs that speak for a line, by its words and its file, beside the other lines that a clause may mean. Pure. */
import { apartSigns } from './place.ts'
import { keyOf } from './table.ts'
import { type FileLine, kindOf, lineWords } from './file-line.ts'

export type FileFacts = {
  readonly rank: number
  readonly at: number
  /** The rank of a folder it is in. */
  readonly folder: number
  /** How well its path fits the words. */
  readonly fit: number
  readonly isRecent: boolean
  /** What the words tell that it has anywhere. */
  readonly told: number
}
export type ScoredLine = {
  readonly line: FileLine
  readonly file: FileFacts
  /** What its words tell, and those of the line that opens its section, and of the one above it. */
  readonly own: number
  readonly section: number
  readonly above: number
  readonly place: readonly string[]
  readonly score: number
}

export type ClauseFacts = {
  readonly clause: string
  readonly asked: ReadonlySet<string>
  readonly top: number
  readonly isAlone: boolean
  /** Some path is named in full. */
  readonly isSpelled: boolean
  readonly told: number
  readonly latest: number
  readonly recent: readonly string[]
}

export function lineSigns(
  { line, file, own, section, above, place }: ScoredLine,
  { clause, asked, top, isAlone, isSpelled, told, latest, recent }: ClauseFacts,
  best: readonly ScoredLine[],
): string[] {
  const { path, text } = line
  const { rank, at, folder, isRecent } = file
  const lately = recent[0] === path ? 'last' : 'yes'
  const beside = best.filter((other) => other.line.path === path).map((other) => other.own + other.section)
  const kind = kindOf(text)
  return [
    `rank:${rank}`,
    `order:${at < 0 ? 'none' : Math.min(4, at)}`,
    `recent:${isRecent ? lately : recent.length > 0 ? 'other' : 'none'}`,
    ...(isSpelled && rank < 8 ? ['another-spelled'] : []),
    ...(folder >= 5 ? ['folder-said'] : []),
    `fit:${Math.min(4, Math.floor(2 * file.fit))}`,
    `fit:${Math.min(4, Math.floor(2 * file.fit))} rank:${rank}`,
    `own:${bucket(own)}`,
    `section:${bucket(section)}`,
    `above:${bucket(above)}`,
    `lead:${bucket(top - own - section)}`,
    `lead-in-file:${bucket(Math.max(...beside) - own - section)}`,
    `told:${bucket(told - file.told)}`,
    ...(isAlone && own + section === top ? ['alone-best'] : []),
    `kind:${kind}`,
    `covered:${coverOf(line.words, asked)}`,
    ...(kind === 'row' ? [`row-key:${keySaid(text, asked)}`] : []),
    `ending:${/\.(\w+)$/.exec(path)?.[1] ?? ''}`,
    ...apartSigns(clause, path, latest),
    ...place,
  ]
}

/** How much of the line is said, in quarters. */
const coverOf = (words: ReadonlySet<string>, asked: ReadonlySet<string>): number => {
  const telling = [...words].filter((word) => word.length > 2)
  return Math.ceil((4 * telling.filter((word) => asked.has(word)).length) / Math.max(1, telling.length))
}

function keySaid(text: string, asked: ReadonlySet<string>): string {
  const words = lineWords(keyOf(text))
  const count = words.filter((word) => asked.has(word)).length
  return count === 0 ? 'no' : count === words.length ? 'yes' : 'part'
}

const bucket = (value: number): string =>
  value <= 0 ? '0' : value < 3 ? '1' : value < 6 ? '2' : value < 10 ? '3' : value < 16 ? '4' : '5'
