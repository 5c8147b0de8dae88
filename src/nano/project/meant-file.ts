/**
 * Which file a later part of a request wants to see: nano often takes the first of a list. The one that more of the words name, or, where
 * they name several alike, the one the steps before were about. Only for looks, which do no harm where this is wrong. Pure.
 */
import type { Words } from '../weights/ban.ts'
import { isSameRoot, nameOf, wordsIn } from '../request/naming.ts'
import type { NanoCall } from '../steps/run.ts'
import { dateOf } from '../paths/dates.ts'
import { stopWords } from '../request/words.ts'

/** The look that is meant, where it is another one than nano's. */
export function meantLook(
  { name, input }: NanoCall,
  words: Words,
  files: readonly string[],
): NanoCall | undefined {
  const { clause, sources, recent } = words
  const { path } = input
  if (name !== 'read_file' || typeof path !== 'string' || recent.length === 0) return undefined
  if (clause.toLowerCase().includes(nameOf(path))) return undefined
  const latest = latestOf(path, { clause, recent, files })
  if (latest !== undefined) return latest === path ? undefined : { name, input: { ...input, path: latest } }
  const said = wordsIn(clause.replaceAll(EXCLUDED, ' ')).filter(
    (word) => (word.length > 2 || /\d/.test(word)) && !isPlain(word),
  )
  const known = [...new Set([...recent, ...sources.paths])]
  const folder = folderCalled(said, known)
  if (folder !== undefined) return { name: 'list_files', input: { path: folder } }
  const meant = betterNamed({ path, said, recent, known })
  return meant === undefined || meant === path ? undefined : { name, input: { ...input, path: meant } }
}

/** "The normal one, not the rain one". */
const EXCLUDED = /\b(?:not|but not|except|without|other than)\s+(?:the\s+)?[\w.-]+(?:\s+(?:one|file))?/gi

const isPlain = (word: string): boolean => stopWords.has(word) || PLAIN.has(word)

const PLAIN = new Set(
  'show list display print view check contents content whole full afterwards finally next lines line first last latest newest back confirm verify sure'.split(
    ' ',
  ),
)

type Choice = {
  readonly path: string
  readonly said: readonly string[]
  readonly recent: readonly string[]
  readonly known: readonly string[]
}

function betterNamed({ path, said, recent, known }: Choice): string | undefined {
  const own = said.filter((word) => names(path, word))
  const files = known.filter((one) => !one.endsWith('/') && own.every((word) => names(one, word)))
  const count = (one: string): number => said.filter((word) => names(one, word)).length
  const most = Math.max(own.length, ...files.map(count))
  const best = files.filter((one) => count(one) === most)
  const done = best.filter((one) => recent.includes(one))
  if (most === own.length) return most > 0 && !recent.includes(path) ? onlyOf(done) : undefined
  return done.length > 0 ? onlyOf(done) : onlyOf(best)
}

const onlyOf = (paths: readonly string[]): string | undefined => (paths.length === 1 ? paths[0] : undefined)

const names = (path: string, word: string): boolean =>
  wordsIn(path).some((part) => isSameRoot(word, part) || part === `${word}s` || `${part}s` === word)

/** "Show me reports, then quarterly": nothing but the name of a folder is said, and no file is called so. */
function folderCalled(said: readonly string[], known: readonly string[]): string | undefined {
  if (said.length === 0) return undefined
  const isCalled = (path: string): boolean => said.every((word) => wordsIn(nameOf(path)).includes(word))
  const isFile = known.some((path) => !path.endsWith('/') && said.some((word) => names(nameOf(path), word)))
  return isFile ? undefined : onlyOf(known.filter((path) => path.endsWith('/') && isCalled(path)))
}

type Listed = Pick<Words, 'clause' | 'recent'> & { readonly files: readonly string[] }

/** "Open the latest minutes": of files in one folder that are called alike but for their dates; behind a list, of all its dated ones. */
function latestOf(path: string, { clause, recent, files }: Listed): string | undefined {
  const isOldest = /\b(?:oldest|earliest)\b/i.test(clause)
  if (!isOldest && !/\b(?:latest|newest|(?:most|more) recent)\b/i.test(clause)) return undefined
  const listed = recent.find((one) => one.endsWith('/')) ?? ''
  const isDated = dayOf(path) > 0
  const folder = isDated ? path.slice(0, path.lastIndexOf('/') + 1) : listed
  const mates = files.filter((one) => one.startsWith(folder) && dayOf(one) > 0)
  const alike = mates.filter((one) => isAlike(one, path))
  const sorted = (isDated && alike.length > 1 ? alike : folder === listed ? mates : []).toSorted(
    (a, b) => dayOf(a) - dayOf(b),
  )
  return isOldest ? sorted[0] : sorted.at(-1)
}

const dayOf = (path: string): number => {
  const { year = 0, month = 0, day = 0 } = dateOf(path)
  return year * 10_000 + month * 100 + day
}

/** By the first word that is no date: `build-2025-05-12.log` and `build-may.log`. */
const isAlike = (one: string, other: string): boolean => stemOf(one) === stemOf(other)

const stemOf = (path: string): string =>
  wordsIn(nameOf(path).replaceAll(MONTHS, ' ')).find((word) => /^[a-z]/.test(word)) ?? ''

const MONTHS = /(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/g
