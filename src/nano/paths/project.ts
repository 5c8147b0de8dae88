/** The paths and texts of a project, in the form in which words of a clause are looked up in them. Made once for a project. Pure. */
import { fold } from '../project/lines.ts'
import { matches, partsOf } from './fit.ts'
import { typeWords } from '../request/words.ts'
import { type ProjectWords, projectWords, wordsIn } from '../opinion/tokens.ts'

/** Words of a clause, with where they stand. */
export type Mentions = readonly { readonly word: string; readonly at: number }[]

/** How the words of a clause name a path. */
export type Mentioned = {
  /** The parts of its name that are said. */
  readonly pieces: ReadonlySet<string>
  /** How many parts of its folders. */
  readonly folders: number
  readonly isTyped: boolean
  /** Where it is named first; nothing where no part of its name is said. */
  readonly first?: number
}

type TextWords = {
  readonly all: ReadonlySet<string>
  readonly lines: readonly ReadonlySet<string>[]
  /** Of its path. */
  readonly names: ReadonlySet<string>
}

export type PathProject = {
  readonly files: readonly string[]
  /** With a slash at the end. */
  readonly folders: readonly string[]
  readonly texts: ReadonlyMap<string, string>
  /** Of its paths and texts, as they are. */
  readonly vocabulary: ProjectWords
  /** Of each text, folded. */
  readonly words: ReadonlyMap<string, TextWords>
  mentionsOf(path: string, mentions: Mentions): Mentioned
  /** How few paths have this part in their names, and how few texts have this word. */
  rarityOf(piece: string): number
  wordRarity(word: string): number
}

/** A number, or a capital that is no word: "hall A", "week 12". */
export const isMark = (word: string, at: number): boolean =>
  /\d/.test(word) || (/^[A-HJ-Z]$/.test(word) && at > 0)

const LONGEST_LINE = 400

export function createPathProject(files: readonly string[], texts: ReadonlyMap<string, string>): PathProject {
  const folders = foldersOf(files)
  const words = new Map(Array.from(texts, ([path, text]) => [path, wordsOfText(path, text)]))
  const pieces = countsOf([...files, ...folders].map((path) => partsOf(path).name))
  const ofTexts = countsOf(Array.from(words.values(), ({ all }) => [...all]))
  const known = new Map<string, number>()
  const match = (word: string, piece: string): boolean => {
    const key = `${word} ${piece}`
    const found = known.get(key) ?? matches(word, piece)
    known.set(key, found)
    return found > 0
  }
  return {
    files,
    folders,
    texts,
    vocabulary: projectWords(files, [...texts.values()]),
    words,
    rarityOf: (piece) => Math.log((files.length + folders.length + 1) / (pieces.get(piece) ?? 1)),
    wordRarity: (word) => Math.log((texts.size + 1) / (ofTexts.get(word) ?? 1)),
    mentionsOf(path, mentions) {
      const { name, folders: above, type } = partsOf(path)
      const named = mentions.flatMap(({ word, at }) =>
        name.filter((piece) => match(word, piece)).map((piece) => ({ piece, at })),
      )
      const first = Math.min(...named.map(({ at }) => at))
      return {
        pieces: new Set(named.map(({ piece }) => piece)),
        folders: above.filter((piece) => mentions.some(({ word }) => match(word, piece))).length,
        isTyped: mentions.some(({ word }) => word === type || typeWords.get(word) === type),
        ...(named.length > 0 && { first }),
      }
    },
  }
}

function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of files)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      folders.add(path.slice(0, at + 1))
  return [...folders]
}

function wordsOfText(path: string, text: string): TextWords {
  const folded = (part: string): Set<string> =>
    new Set(wordsIn(part.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).map(fold))
  const lines = text.split('\n').map((line) => folded(line.slice(0, LONGEST_LINE)))
  return { lines, all: new Set(lines.flatMap((line) => [...line])), names: folded(path) }
}

function countsOf(groups: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const group of groups) for (const item of new Set(group)) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}
