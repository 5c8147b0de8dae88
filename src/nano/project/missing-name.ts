/**
 * A file that words name and that is not there: "open the week 7 notes" beside the weeks 1 and 2, "open the Moseley price list" where
 * nothing in the project speaks of Moseley. Only where the whole request, or its first part, asks for one file by name. Pure.
 */
import type { PathProject } from '../paths/project.ts'
import { spelledRight } from '../opinion/spelling.ts'
import { isSameRoot, nameOf, wordsIn } from '../request/naming.ts'

type Project = Pick<PathProject, 'files' | 'texts'> & {
  /** Whether many writers use this word: such a word may only describe a file. */
  readonly knows?: (word: string) => boolean
}

const ASKED =
  /^\W*(?:(?:please|pls|plz|kindly|hey|hi|ok|okay|now|just|can you|could you|would you|will you|let me|i'd like to|i want to|i need to)[\s,]+)*(?:open(?: me| up)?|show(?: me| us)?|read(?: me| out)?|view|display|see|cat|pull up|bring up|print|delete|remove|bin|get rid of|have a look at|look at)\s+(?:the|my|our|that|this)?\s*(?<thing>[^,.;:!?\n]+)/i

/** What the request asks for in words, where no file is called so. */
export function missingName(target: string, spoken: string, project: Project): string | undefined {
  const thing = ASKED.exec(spoken)?.groups?.['thing']?.split(
    /\s(?:and|so|because|then|please|pls|for me|to see)\b/i,
  )[0]
  if (thing === undefined) return undefined
  const numbered = missingNumber(target, thing, project)
  return numbered === undefined && isNamedBy(thing, target)
    ? undefined
    : (numbered ?? missingWord(thing, project))
}

/** More than half of its name is said; a code of a language or a part may stand for a word. */
function isNamedBy(thing: string, target: string): boolean {
  const said = wordsIn(thing)
  const pieces = wordsIn(nameOf(target).replace(/(?<=.)\..*$/, '')).filter((piece) => piece.length > 2)
  const named = pieces.filter((piece) =>
    said.some((word) => isSameRoot(word, piece) || (word.length > 5 && isNear(word, piece))),
  )
  return pieces.length > 0 && 2 * named.length > pieces.length
}

const NUMBERED = /\b(?<word>[a-z]{3,}) (?:no\.? |number |#)?(?<number>\d{1,5})\b(?![.,:/%-]\d)/gi

/** "Week 7" where other files are weeks, "delivery note 4485" beside DN-4471, and nothing has that number. */
function missingNumber(target: string, thing: string, project: Project): string | undefined {
  for (const { 0: said, groups } of thing.matchAll(NUMBERED)) {
    const word = (groups?.['word'] ?? '').toLowerCase()
    const digits = groups?.['number'] ?? ''
    const isAlike = Number(digits) < SMALL ? isNumberedBy(word) : hasDigits(digits.length)
    const alike = project.files.filter((path) => isAlike(nameOf(path)))
    if (alike.length > 1 && alike.includes(target) && !isNumberThere(word, Number(digits), project))
      return said
  }
  return undefined
}

/** Every text has smaller ones. */
const SMALL = 100

const isNumberedBy =
  (word: string) =>
  (name: string): boolean =>
    new RegExp(String.raw`(?<![a-z])${word}s?[-_ ]?\d`).test(name)

const hasDigits =
  (count: number) =>
  (name: string): boolean =>
    new RegExp(String.raw`(?<!\d)\d{${count}}(?!\d)`).test(name)

function isNumberThere(word: string, number: number, { files, texts }: Project): boolean {
  const before = number < SMALL ? String.raw`\b${word}s?\W{0,2}` : String.raw`(?<!\d)`
  const isSaid = new RegExp(String.raw`${before}0*${number}(?!\d)`, 'i')
  const isCalled = new RegExp(String.raw`(?<!\d)0*${number}(?!\d)`)
  return files.some((path) => isCalled.test(path)) || [...texts.values()].some((text) => isSaid.test(text))
}

/** A name that stands nowhere in the project, neither in a path nor in a text, and that is no word everybody uses. */
function missingWord(thing: string, { files, texts, knows }: Project): string | undefined {
  if (!knows || /["'`“]|[./\\]\w/.test(thing)) return undefined
  const words = thing.match(/[\p{L}][\p{L}\p{N}'_-]*/gu) ?? []
  const isKnown = (word: string): boolean => {
    const plain = word.toLowerCase().replace(/'s?$/, '')
    return plain.length < LEAST_LETTERS || knows(plain) || spelledRight(plain, { has: knows }) !== plain
  }
  const there = new Set([...files, ...texts.values()].flatMap(wordsIn))
  const isThere = (word: string): boolean =>
    wordsIn(word).some((part) => [...there].some((other) => isSameRoot(part, other) || isNear(part, other)))
  const isUnheard = (word: string): boolean =>
    isCompound(word) ? isNoCompound(word, { files, texts }) : !isKnown(word) && !isThere(word)
  return words.some(isUnheard) ? thing.trim() : undefined
}

const isCompound = (word: string): boolean => /^\p{L}{4,}(?:[-_]\p{L}{4,})+$/u.test(word)

/** `payments-router` beside `fraud-scorer`: no path has its parts, no text has it, in whatever spelling. */
function isNoCompound(word: string, { files, texts }: Pick<Project, 'files' | 'texts'>): boolean {
  const parts = wordsIn(word)
  const squeezed = parts.join('')
  const isCalled = (path: string): boolean => parts.every((part) => path.toLowerCase().includes(part))
  const isSaid = (text: string): boolean => text.toLowerCase().replaceAll(/[-_ ]/g, '').includes(squeezed)
  const siblings = files.filter((path) => isCompound(nameOf(path).replace(/\.\w+$/, '')))
  return siblings.length > 1 && !files.some(isCalled) && ![...files, ...texts.values()].some(isSaid)
}

const LEAST_LETTERS = 5

/** A slip or an ending away: "holidays" and "holiday", "wensday" and "wednesday". */
const isNear = (one: string, other: string): boolean =>
  Math.abs(one.length - other.length) <= 2 && one.slice(0, 4) === other.slice(0, 4)
