/** Sets of ASCII letters and bounded walks over them: what the scanners are made of. No walk is longer than its limit. */

export type Letters = Uint8Array

/** `ranges` as inside the brackets of a regular expression. */
export function letters(ranges: string): Letters {
  const pattern = new RegExp(`[${ranges}]`)
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))
}

/** The first place at or after `from` that is not in the set. */
export function walkOn(text: string, from: number, set: Letters, limit: number): number {
  const end = Math.min(text.length, from + limit)
  let at = from
  while (at < end && set[text.charCodeAt(at)] === 1) at++
  return at
}

/** Where the run of letters in the set that ends before `to` begins. */
export function walkBack(text: string, to: number, set: Letters, limit: number): number {
  const end = Math.max(0, to - limit)
  let at = to
  while (at > end && set[text.charCodeAt(at - 1)] === 1) at--
  return at
}

const WORD = letters('A-Za-z0-9_-')

/** Whether a key may begin here: at the start of a word, an escape such as `\n` or `%3D` before it included. */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || WORD[text.charCodeAt(at - 1)] !== 1) return true
  if (text[at - 2] === '\\') return /[nrt]/.test(text[at - 1] ?? '')
  return text[at - 3] === '%' && /^[0-9A-Fa-f]{2}$/.test(text.slice(at - 2, at))
}
