/**
 * Which existing paths a request names. Every form under which a word may name a path has a rank: the whole path, a tail
 * of it, its name, its name without the ending, a part of the name, a file type, a name with one slip. Must equal
 * nano/sources.py; ranks are small integers so that the order is the same in any language.
 */
import { lengthOf, wordsOf } from '../request/spans.ts'
import { numberWords, stopWords, typeWords } from '../request/words.ts'

export const MAX_PATHS = 12
/** Of one file type. */
const MAX_OF_TYPE = 4
/** Shorter names are too easily a slip away from any word. */
const SHORTEST_SLIP = 5

type Ranks = ReadonlyMap<string, number>

export type PathIndex = {
  /** The paths some word of the request matches, best first. */
  match(request: string): readonly string[]
  /** Every match with its rank, in the order of the request's words; one that two words name counts like a whole name. */
  ranks(request: string): Ranks
}

/** `paths` are files; their folders are added, with a slash at the end. */
export function createPathIndex(paths: readonly string[]): PathIndex {
  const index = new Forms()
  for (const path of new Set([...foldersOf(paths), ...paths])) index.add(path)
  const ranks = (request: string): Ranks =>
    new Map(
      Array.from(matchesOf(request, index), ([path, { rank, words }]) => [
        path,
        rank === 5 && words > 1 ? 6 : rank,
      ]),
    )
  return {
    ranks,
    match: (request) => {
      const matches = matchesOf(request, index)
      const scores = new Map(Array.from(matches, ([path]) => [path, scoreOf(path, matches, request)]))
      const score = (path: string): number => scores.get(path) ?? 0
      return [...matches.keys()]
        .toSorted((a, b) => score(b) - score(a) || depth(a) - depth(b) || (a < b ? -1 : 1))
        .slice(0, MAX_PATHS)
    },
  }
}

const depth = (path: string): number => path.split('/').length

function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>()
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      folders.add(path.slice(0, at + 1))
  return folders
}

class Forms {
  readonly #forms = new Map<string, Map<string, number>>()
  readonly #byType = new Map<string, string[]>()
  readonly #numbered = new Map<number, string[]>()
  readonly #stems = new Map<string, string[]>()
  readonly #names: { readonly path: string; readonly name: string }[] = []

  add(path: string): void {
    const whole = path.replace(/\/+$/, '')
    const written = whole.slice(whole.lastIndexOf('/') + 1)
    const name = written.toLowerCase()
    const stem = stemOf(name)
    this.#form(whole.toLowerCase(), path, 10)
    for (const tail of tailsOf(whole)) this.#form(tail.toLowerCase(), path, 9)
    this.#form(name, path, 8)
    this.#form(stem, path, 7)
    if (/[ \-_.]/.test(name)) for (const form of [name, stem]) this.#form(joined(form), path, 6)
    const parts = partsOf(written, stem)
    for (const part of parts) this.#form(part, path, 5)
    for (const root of new Set([stem, ...parts].map(rootOf)))
      if (root !== '') this.#stems.set(root, [...(this.#stems.get(root) ?? []), path])
    for (const number of new Set((name.match(/[0-9]+/g) ?? []).map(Number))) {
      const paths = this.#numbered.get(number) ?? []
      this.#numbered.set(number, paths)
      paths.push(path)
    }
    for (const slip of new Set([name, stem]))
      if (lengthOf(slip) >= SHORTEST_SLIP) this.#names.push({ path, name: slip })
    if (!path.endsWith('/') && name.includes('.')) this.#type(name.slice(name.lastIndexOf('.') + 1), path)
  }

  get(form: string): Ranks {
    return this.#forms.get(form) ?? new Map()
  }

  ofType(type: string): readonly string[] {
    return (this.#byType.get(type) ?? []).slice(0, MAX_OF_TYPE)
  }

  /** Paths whose name holds the number that the word means. */
  numbered(word: string): readonly string[] {
    return this.#numbered.get(numberWords.get(word) ?? -1) ?? []
  }

  /** Paths with another form of the word in their name: `count` for `counting`. */
  rooted(word: string): readonly string[] {
    return this.#stems.get(rootOf(word)) ?? []
  }

  near(word: string): readonly string[] {
    return this.#names.filter(({ name }) => isNear(word, name)).map(({ path }) => path)
  }

  #form(form: string, path: string, rank: number): void {
    const ranks = this.#forms.get(form) ?? new Map<string, number>()
    this.#forms.set(form, ranks)
    ranks.set(path, Math.max(rank, ranks.get(path) ?? 0))
  }

  #type(type: string, path: string): void {
    const paths = this.#byType.get(type) ?? []
    this.#byType.set(type, paths)
    paths.push(path)
  }
}

const stemOf = (name: string): string => {
  const at = name.lastIndexOf('.')
  if (at > 0) return name.slice(0, at)
  return at === 0 ? name.slice(1) : name
}

const joined = (name: string): string => name.replaceAll(/[ \-_.]/g, '')

/** `b/c.ts` of `a/b/c.ts`; the name alone is a form of its own. */
const tailsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1, -1)
    .map((_, index) =>
      path
        .split('/')
        .slice(index + 1)
        .join('/'),
    )

function partsOf(written: string, stem: string): string[] {
  const before = written.slice(0, stem.length + (written.startsWith('.') ? 1 : 0))
  const camel = before.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []
  const pieces = [...stem.split(/[ \-_.]+/), ...camel.map((piece) => piece.toLowerCase())]
  return pieces.filter(
    (piece) => (lengthOf(piece) >= 3 || (lengthOf(piece) === 2 && /[0-9]/.test(piece))) && piece !== stem,
  )
}

/** Whether taking at most one letter from each makes them equal. */
export function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  const shortest = Math.min(one.length, other.length) - start
  while (end < shortest && one.at(-1 - end) === other.at(-1 - end)) end++
  const a = one.slice(start, one.length - end)
  const b = other.slice(start, other.length - end)
  if (a.length <= 1 && b.length <= 1) return true
  return a.slice(1) === b.slice(0, -1) || a.slice(0, -1) === b.slice(1)
}

type Match = { readonly rank: number; readonly words: number; readonly score: number }

/** How much a word tells by the rank of its match: a path spelled out most, a file type or a slip least. */
const WORTH: Readonly<Record<number, number>> = {
  10: 1000,
  9: 700,
  8: 300,
  7: 120,
  6: 140,
  5: 60,
  4: 40,
  3: 15,
  2: 40,
  1: 20,
}
const NUMBER_WORTH = 40

/** In tenths: a word that names one path tells more than one that names many. */
function shareOf(count: number): number {
  if (count <= 2) return count <= 1 ? 15 : 12
  if (count <= 4) return 10
  return count <= 8 ? 7 : 4
}

const OF_FOLDERS =
  /\b(?:folders?|director(?:y|ies)|dir|ls|inside|everything|contents|what(?:'s|s| is| have i)? (?:got )?in)\b|^\W*(?:(?:please|kindly|hey|ok),? )*list\b|\blist (?:the|what|all|every|my)\b/i

/** What names its folder speaks for a file, too. A folder is meant less often than a file, unless folders are spoken of. */
function scoreOf(path: string, matches: ReadonlyMap<string, Match>, request: string): number {
  const above = [...foldersOf([path.replace(/\/+$/, '')])]
    .map((folder) => matches.get(folder)?.score ?? 0)
    .reduce((sum, score) => sum + score, 0)
  const own = (matches.get(path)?.score ?? 0) + Math.floor((above * 4) / 10)
  if (!path.endsWith('/')) return own * 10
  return own * (OF_FOLDERS.test(request) ? 12 : 4)
}

/** For each path its best rank, how many words of the request name it, and how much they tell. */
function matchesOf(request: string, forms: Forms): ReadonlyMap<string, Match> {
  const words = wordsOf(request).map((word) => unrooted(word.toLowerCase()))
  const best = new Map<string, Match>()
  for (const [at, word] of words.entries()) {
    const found = new Map<string, number>()
    const take = (ranks: Iterable<readonly [string, number]>): void => {
      for (const [path, rank] of ranks) found.set(path, Math.max(rank, found.get(path) ?? 0))
    }
    take(matchTogether(words.slice(at, at + 3), 3, forms))
    take(matchTogether(words.slice(at, at + 2), 2, forms))
    if (lengthOf(word) >= 2 && !stopWords.has(word)) for (const ranks of matchWord(word, forms)) take(ranks)
    const telling = [...found.values()].filter((rank) => rank >= 4).length
    const share = words.indexOf(word) < at ? 0 : shareOf(telling)
    for (const [path, rank] of found) {
      const known = best.get(path) ?? { rank: 0, words: 0, score: 0 }
      const worth = WORTH[rank === 8 && !word.includes('.') ? 7 : rank] ?? 0
      best.set(path, {
        rank: Math.max(rank, known.rank),
        words: known.words + 1,
        score: known.score + Math.floor((worth * share) / 10),
      })
    }
  }
  countNumbers(words, best, forms)
  return best
}

/** "Chapter six", "the March one". A number in digits is mostly something else. */
function countNumbers(words: readonly string[], best: Map<string, Match>, forms: Forms): void {
  for (const word of words)
    for (const path of forms.numbered(word)) {
      const { rank, words: count, score } = best.get(path) ?? { rank: 2, words: 0, score: 0 }
      if (best.has(path) || !/^\d+$/.test(word))
        best.set(path, { rank, words: count + 1, score: score + NUMBER_WORTH })
    }
}

/** As paths are listed: no `./`, no trailing slash, no `:line:column`. */
const unrooted = (word: string): string =>
  word
    .replace(/^\.\//, '')
    .replace(/:\d+(?::\d+)?$/, '')
    .replace(/\/+$/, '') || word

/** `read me` and `package json` name README.md and package.json. */
function matchTogether(words: readonly string[], count: number, forms: Forms): (readonly [string, number])[] {
  if (words.length < count) return []
  const ranks = forms.get(words.map(joined).join(''))
  return [...ranks].filter(([, rank]) => rank >= 6).map(([path]) => [path, 6])
}

function matchWord(word: string, forms: Forms): Iterable<readonly [string, number]>[] {
  const exact = forms.get(word)
  const counted = forms.get(word.endsWith('s') ? singular(word) : `${word}s`)
  const together = [...forms.get(joined(word))].flatMap(([path, rank]) =>
    rank >= 6 ? [[path, 6] as const] : [],
  )
  const rooted = forms.rooted(word).map((path) => [path, 4] as const)
  const ofType = forms.ofType(typeWords.get(word) ?? '').map((path) => [path, 3] as const)
  const isKnown = exact.size + counted.size + together.length > 0
  const near = isKnown || lengthOf(word) < SHORTEST_SLIP ? [] : forms.near(word)
  return [exact, counted, together, rooted, ofType, near.map((path) => [path, 1] as const)]
}

/** `count` of `counting` and `counted`; nothing where too little is left. */
export function rootOf(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return ''
  const root = word
    .replace(/(?:ings?|ed|ers?|ions?|ment|es|s)$/, '')
    .replace(/([b-df-hj-np-tv-z])\1$/, '$1')
    .replace(/[ey]$/, '')
  return root.length >= 4 ? root : ''
}

export const singular = (word: string): string =>
  lengthOf(word) > 3 && word.endsWith('s') ? word.slice(0, -1) : word
