/** Slips of the finger: "pleeease", "chnage", "delte" are words that many writers use, typed badly. Pure. */

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz')
/** Shorter words are one letter away from too many others. */
const FEWEST_LETTERS = 4

/** The known word that is meant; the word itself where none is near. `word` in small letters. */
export function spelledRight(word: string, known: Pick<ReadonlySet<string>, 'has'>): string {
  if (known.has(word) || !/^[a-z']+$/.test(word)) return word
  const plain = [word.replaceAll(/(.)\1{2,}/g, '$1$1'), word.replaceAll(/(.)\1+/g, '$1')].find(
    (one) => one !== word && known.has(one),
  )
  if (plain !== undefined) return plain
  if (word.length < FEWEST_LETTERS) return word
  for (const near of nearOf(word)) if (near.length >= FEWEST_LETTERS && known.has(near)) return near
  return word
}

/** One slip away; two letters in the wrong order and one too few are the most common ones. */
function* nearOf(word: string): Generator<string> {
  const places = Array.from({ length: word.length + 1 }, (_, at) => at)
  for (const at of places.slice(1, -1))
    yield word.slice(0, at - 1) + (word[at] ?? '') + (word[at - 1] ?? '') + word.slice(at + 1)
  for (const at of places) for (const letter of LETTERS) yield word.slice(0, at) + letter + word.slice(at)
  for (const at of places.slice(0, -1)) yield word.slice(0, at) + word.slice(at + 1)
  // The first letter is seldom wrong.
  for (const at of places.slice(1, -1))
    for (const letter of LETTERS) yield word.slice(0, at) + letter + word.slice(at + 1)
}
