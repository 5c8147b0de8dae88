/** Finding what the user meant: the nearest word of a list, and names that differ only in how they are written. */

/** The closest candidate within a third of the word's length (at least one letter), or nothing. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const found = distance(word.toLowerCase(), candidate.toLowerCase())
    if (found <= limit && (!best || found < best.distance)) best = { candidate, distance: found }
  }
  return best?.candidate
}

/** Optimal string alignment: insertions, deletions, substitutions and swapped neighbours each cost one. */
export function distance(a: string, b: string): number {
  let older: number[] = []
  let old = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = at(old, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let cost = Math.min(change, at(old, j) + 1, at(row, j - 1) + 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) cost = Math.min(cost, at(older, j - 2) + 1)
      row.push(cost)
    }
    older = old
    old = row
  }
  return at(old, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY

/**
 * The one name of `names` that is meant by `name`: exact, else equal after case, `.`/`_`/`-`, a namespace prefix and a
 * trailing "tool" or "function" are folded away. Two candidates are none.
 */
export function resolveName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name
  for (const fold of folds) {
    const wanted = fold(name)
    const found = names.filter((candidate) => foldCase(candidate) === wanted)
    if (found.length === 1) return found[0]
  }
  return undefined
}

const foldCase = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, '')
const withoutNamespace = (name: string): string => name.replace(/^.*(?:::|__|[.:/])/s, '')
const withoutSuffix = (folded: string): string => folded.replace(/(?:tool|function|call)$/, '')

const folds: readonly ((name: string) => string)[] = [
  foldCase,
  (name) => foldCase(withoutNamespace(name)),
  (name) => withoutSuffix(foldCase(name)),
  (name) => withoutSuffix(foldCase(withoutNamespace(name))),
]
