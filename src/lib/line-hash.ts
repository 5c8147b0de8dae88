/**
 * Lines named by number and content: `12ab` is line 12, and `ab` says what stood there when it was read. A change that
 * names its lines so is refused when the file has moved on, instead of hitting another line.
 */

const LETTERS = 26

/** Two letters for the text of a line; white space at its end does not count, because it is invisible. */
export function lineHash(line: string): string {
  let hash = 0x811c9dc5
  const text = line.trimEnd()
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash = (hash ^ (hash >>> 13)) >>> 0
  const letter = (value: number): string => String.fromCharCode(0x61 + (value % LETTERS))
  return letter(hash) + letter(Math.floor(hash / LETTERS))
}

/** `12ab<tab>text`, as read_file shows it. */
export const hashedLine = (line: string, number: number): string => `${number}${lineHash(line)}\t${line}`

export type LineName = { readonly number: number; readonly hash: string }

/** Reads a name as a model may write it: `12ab`, `12:ab`, `L12 ab`, or the whole line as it was shown. */
export function readLineName(text: string): LineName | undefined {
  const [, number, hash] = /^\s*L?(\d{1,7})[\s:|#]{0,2}([a-z]{2})(?![a-z\d])/i.exec(text) ?? []
  return number === undefined || hash === undefined
    ? undefined
    : { number: Number(number), hash: hash.toLowerCase() }
}

const NAMED = /^\d{1,7}[a-z]{2}\t/

/** Names that a model copied along with the lines are no part of the file. */
export function withoutLineNames(text: string): string {
  const lines = text.split('\n')
  const isNamed = lines.every((line) => line === '' || NAMED.test(line)) && lines.some((line) => line !== '')
  return isNamed ? lines.map((line) => line.replace(NAMED, '')).join('\n') : text
}
