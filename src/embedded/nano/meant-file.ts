/**
 * Which file a later part of a request wants to see: nano often takes the first of a list. The one that more of the words name, or, where
 * they name several alike, the one the steps before were about. Only for looks, which do no harm where this is wrong. Pure.
 */
import type { Words } from './ban.ts'
import { isSameRoot, nameOf, wordsIn } from './naming.ts'
import type { NanoCall } from './run.ts'
import { stopWords } from './words.ts'

/** The look that is meant, where it is another one than nano's. */
export function meantLook({ name, input }: NanoCall, words: Words): NanoCall | undefined {
  const { clause, sources, recent } = words
  const { path } = input
  if (name !== 'read_file' || typeof path !== 'string' || recent.length === 0) return undefined
  if (clause.toLowerCase().includes(nameOf(path))) return undefined
  const said = wordsIn(clause.replaceAll(EXCLUDED, ' ')).filter(
    (word) => (word.length > 2 || /\d/.test(word)) && !isPlain(word),
  )
  const known = [...new Set([...recent, ...sources.paths])]
  const folder = folderCalled(said, known)
  if (folder !== undefined) return { name: 'list_files', input: { path: folder } }
  const meant = betterNamed({ path, said, recent, known }) ?? latestOf(path, clause, known)
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

/** "Open the latest minutes": of files whose names begin with their dates. */
function latestOf(path: string, clause: string, known: readonly string[]): string | undefined {
  const isDated = (one: string): boolean => /^\d{4}-\d{2}(?!\d)/.test(nameOf(one))
  if (!/\b(?:latest|newest|most recent)\b/i.test(clause) || !isDated(path)) return undefined
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const mates = known.filter((one) => one.startsWith(folder) && isDated(one))
  return mates.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).at(-1)
}
