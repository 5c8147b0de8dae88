/**
 * Characters that a model writes for others: typographic quotes and dashes, other blanks. Each stands for exactly one ASCII
 * character, so that offsets into a text hold after folding.
 */
const ASCII: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '′': "'",
  '`': '`',
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '″': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '\u00A0': ' ',
  '\u2002': ' ',
  '\u2003': ' ',
  '\u2007': ' ',
  '\u2009': ' ',
  '\u202F': ' ',
  '\u3000': ' ',
}

const LOOK_ALIKE = /[‘’‚‛′“”„‟″«»‐‑‒–—−\u00A0\u2002\u2003\u2007\u2009\u202F\u3000]/g

export const toAscii = (text: string): string =>
  text.replace(LOOK_ALIKE, (character) => ASCII[character] ?? character)

export const hasLookAlikes = (text: string): boolean => text.search(LOOK_ALIKE) >= 0
