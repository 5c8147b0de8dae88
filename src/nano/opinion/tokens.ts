/**
 * A request as words that mean the same to every writer: quoted text, file names and numbers each become one sign, and so does a
 * word that only this project knows. What is left says what is to be done. Pure.
 */

import { spelledRight } from './spelling.ts'

/** Words of a project, in lower case. */
export type ProjectWords = {
  /** Of its paths. */
  readonly names: ReadonlySet<string>
  /** Of its texts. */
  readonly texts: ReadonlySet<string>
}

const PART = new RegExp(
  [
    String.raw`"[^"\n]*"|“[^”\n]*”|\x60[^\x60\n]*\x60|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])`,
    String.raw`[\p{L}\p{N}_./~*-]*[./*_][\p{L}\p{N}_./*-]+`,
    String.raw`[\p{L}'’]+|\p{N}[\p{N}.,:-]*|\n|[^\s]`,
  ].join('|'),
  'gu',
)

export type Tokens = {
  /** With every word as it is. */
  readonly spelled: readonly string[]
  /** With signs for words that are not known to many writers. */
  readonly plain: readonly string[]
}

/** `known`: words that many writers use. */
export function tokensOf(text: string, project: ProjectWords, known: ReadonlySet<string>): Tokens {
  const spelled: string[] = []
  const plain: string[] = []
  for (const [at, part] of (text.match(PART) ?? []).entries()) {
    const typed = part.toLowerCase().replaceAll('’', "'")
    const word = isName(part, at) || isOfProject(typed, project) ? typed : spelledRight(typed, known)
    const sign = signOf(word)
    spelled.push(sign === '<file>' ? sign + endingOf(word) : (sign ?? word))
    plain.push(sign ?? plainWord(word, project, known))
  }
  return { spelled, plain }
}

/** Within a sentence a capital begins a name. */
const isName = (part: string, at: number): boolean => at > 0 && /^\p{Lu}\p{Ll}/u.test(part)

const isOfProject = (word: string, { names, texts }: ProjectWords): boolean =>
  names.has(word) || names.has(singular(word)) || texts.has(word)

function signOf(word: string): string | undefined {
  if (/^["“`]/.test(word) || (word.startsWith("'") && word.length > 3)) return '<quote>'
  if (/^\p{N}/u.test(word) && !/[\p{L}/]/u.test(word)) return '<number>'
  if (/[./*_][\p{L}\p{N}*]/u.test(word)) return '<file>'
  return word === '\n' ? '<line>' : undefined
}

const endingOf = (word: string): string => /\.\w{1,5}$/.exec(word)?.[0] ?? ''

function plainWord(word: string, { names, texts }: ProjectWords, known: ReadonlySet<string>): string {
  if (word.length < 3 || COMMON.has(word)) return word
  if (names.has(word) || names.has(singular(word))) return '<name>'
  if (known.has(word)) return word
  return texts.has(word) ? '<text>' : '<word>'
}

const singular = (word: string): string => word.replace(/s$/, '')

/** They are in the names of files, too, and never mean one. */
const COMMON = new Set('the and for with that this you'.split(' '))

export function projectWords(paths: readonly string[], texts: readonly string[]): ProjectWords {
  const names = paths.flatMap((path) => wordsIn(path)).filter((word) => word.length > 2)
  return {
    names: new Set(names.flatMap((word) => [word, singular(word)])),
    texts: new Set(texts.flatMap((text) => wordsIn(text)).filter((word) => word.length > 2)),
  }
}

export const wordsIn = (text: string): string[] => text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []

/** As a regular expression that means this text. */
export const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
