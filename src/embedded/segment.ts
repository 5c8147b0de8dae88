/** A stretch of a prompt. Only `control` text may hold control tokens; what came from outside never becomes one. */
export type Segment = { readonly text: string; readonly control: boolean }

/** Text cut into what matches and what does not, in order; empty pieces are left out. */
export function splitBy(
  text: string,
  pattern: RegExp,
): { readonly text: string; readonly matches: boolean }[] {
  const pieces: { text: string; matches: boolean }[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    pieces.push({ text: text.slice(from, match.index), matches: false }, { text: match[0], matches: true })
    from = match.index + match[0].length
  }
  pieces.push({ text: text.slice(from), matches: false })
  return pieces.filter((piece) => piece.text !== '')
}
