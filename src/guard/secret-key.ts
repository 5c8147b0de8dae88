/** Finders for keys that begin in a way of their own, and the name such a key goes by. */
import type { Finder, Finding } from './secret-finding.ts'
import { type SecretKind, secretKinds } from './secret-kinds.ts'
import { beginsWord } from './secret-letters.ts'

export const keyFinders: readonly Finder[] = secretKinds.map((key) => ({
  anchor: key.prefix,
  find: (text, at) => (beginsWord(text, at) ? match(key, text, at) : undefined),
}))

/** What kind of key begins here, if it says so itself. */
export const keyKindAt = (text: string, at: number): string | undefined =>
  byStart.get(text.slice(at, at + 2))?.find((key) => text.startsWith(key.prefix, at) && match(key, text, at))?.kind

const byStart = new Map<string, SecretKind[]>()
for (const key of secretKinds) {
  const start = key.prefix.slice(0, 2)
  byStart.set(start, [...(byStart.get(start) ?? []), key])
}

function match({ kind, prefix, rest }: SecretKind, text: string, at: number): Finding | undefined {
  rest.lastIndex = at + prefix.length
  return rest.test(text) ? { start: at, end: rest.lastIndex, kind } : undefined
}
