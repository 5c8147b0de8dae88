/** Finders for keys that begin in a way of their own, and the name such a key goes by. */
import type { Finder, Finding } from './secret-finding.ts'
import { type SecretKind, secretKinds } from './secret-kinds.ts'
import { beginsWord } from './secret-letters.ts'

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
