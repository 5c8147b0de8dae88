/** Finders for keys that begin in a way of their own, and the name such a key goes by. */
import type { Finder, Finding } from './finding.ts'
import { type SecretKind, secretKinds } from './kinds.ts'
import { beginsWord, type Letters, letters, walkOn } from './letters.ts'

const byStart = new Map<string, SecretKind[]>()
for (const key of secretKinds) {
  const start = key.prefix.slice(0, 2)
  byStart.set(start, [...(byStart.get(start) ?? []), key])
}

/** One for all keys that share their first two letters: most words are dismissed by one look at the letter before. */
export const keyFinders: readonly Finder[] = Array.from(byStart, ([anchor, kinds]) => ({
  anchor,
  find: (text, at) => (beginsWord(text, at) ? keyAt(text, at, kinds) : undefined),
}))

/** The same keys written in base64 or hex, each on its own: their beginning shows there, too. */
export const encodedKeyFinders: readonly Finder[] = [
  ...encodedFinders('base64', letters('A-Za-z0-9+/_-')),
  ...encodedFinders('hex', letters('0-9a-f')),
]

const MAX_ENCODED = 8192

/** One for all that share their first two letters, as above: inside a long run every one of them would be asked. */
function encodedFinders(encoding: 'base64' | 'hex', set: Letters): readonly Finder[] {
  const beginnings = encodedBeginnings(encoding)
  return [...new Set(beginnings.map((beginning) => beginning.slice(0, 2)))].map((anchor) => {
    const own = beginnings.filter((beginning) => beginning.startsWith(anchor))
    return {
      anchor,
      find: (text, at) =>
        beginsWord(text, at) && own.some((beginning) => text.startsWith(beginning, at))
          ? encodedKeyAt(text, at, { encoding, set })
          : undefined,
    }
  })
}

function encodedBeginnings(encoding: 'base64' | 'hex'): readonly string[] {
  const bits = encoding === 'hex' ? 4 : 6
  return secretKinds
    .filter(({ prefix }) => prefix.length >= 4)
    .map(({ prefix }) =>
      Buffer.from(prefix)
        .toString(encoding)
        .slice(0, Math.floor((prefix.length * 8) / bits)),
    )
}

/** Whether a key may begin with these letters, the first of a word. */
export const mayBeginKey = (letters: string): boolean =>
  (beginnings ??= [...secretKinds.map(({ prefix }) => prefix), ...encodedBeginnings('base64')]).some(
    (beginning) => beginning.startsWith(letters) || letters.startsWith(beginning),
  )

/** Made when it is needed; in hex every key begins with a digit. */
let beginnings: readonly string[] | undefined

type Encoded = { readonly encoding: 'base64' | 'hex'; readonly set: Letters }

function encodedKeyAt(text: string, at: number, { encoding, set }: Encoded): Finding | undefined {
  const end = walkOn(text, at, set, MAX_ENCODED)
  const decoded = Buffer.from(text.slice(at, end), encoding).toString('latin1')
  const kind = keyKindAt(decoded, 0)
  return kind === undefined ? undefined : { start: at, end: walkOn(text, end, PADDING, 2), kind }
}

const PADDING = letters('=')

/** What kind of key begins here, if it says so itself. */
export const keyKindAt = (text: string, at: number): string | undefined =>
  keyAt(text, at, byStart.get(text.slice(at, at + 2)) ?? [])?.kind

function keyAt(text: string, at: number, kinds: readonly SecretKind[]): Finding | undefined {
  for (const { kind, prefix, rest } of kinds) {
    if (!text.startsWith(prefix, at)) continue
    rest.lastIndex = at + prefix.length
    if (rest.test(text)) return { start: at, end: rest.lastIndex, kind }
  }
  return undefined
}
