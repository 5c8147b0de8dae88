/** What a word of a command looks like. Pure. */

/** Words of a sentence, hardly of a command. */
export const FILLING: ReadonlySet<string> = new Set(
  'please and then the a to it for me you if so i we now again first after afterwards or but thanks because with in on of that this is my our'.split(
    ' ',
  ),
)

export function shapeOf(word: string): string {
  const plain = word.replaceAll(/^["'`]+|["'`,.;:!?]+$/g, '')
  if (plain.startsWith('-')) return 'flag'
  if (/^[A-Z_]+=\S/.test(plain)) return 'assignment'
  if (/[/\\]|\w\.\w/.test(plain)) return 'path'
  if (/^[|&>]/.test(plain)) return 'sign'
  if (/^\d/.test(plain)) return 'number'
  if (FILLING.has(plain.toLowerCase())) return 'fill'
  return /[^\w]/.test(plain) ? 'code' : 'word'
}

/** Of the first word of what follows. */
export function nextShape(rest: string): string {
  if (rest.trim() === '') return 'end'
  if (/^["'`”’)]/.test(rest)) return 'quote'
  if (/^[,;:.!?](?:\s|$)/.test(rest)) return 'sign'
  const [, word] = /^\s+(\S+)/.exec(rest) ?? []
  return word === undefined ? 'inside' : shapeOf(word)
}
