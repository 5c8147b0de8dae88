/**
 * Text of a file as it stands elsewhere: in a JSON string, in HTML, in a diff, in a Markdown fence. Models copy it with what
 * belongs to the other place. Each function gives the text itself, or nothing where it is not written in that way.
 */

const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
}

/** One line that should be several: `a\\nb`, as in a string inside a string. */
export function unescaped(text: string): string | undefined {
  if (!/\\[nt"]/.test(text) || /\n./s.test(text)) return undefined
  return text.replaceAll(/\\([ntr"'\\/])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&apos;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
}
const ENTITY = /&(?:lt|gt|quot|#39|#x27|apos|nbsp|amp);/g

export const withoutEntities = (text: string): string | undefined =>
  ENTITY.test(text) ? text.replaceAll(ENTITY, (entity) => ENTITIES[entity] ?? entity) : undefined

/** Every line begins with the same sign of a diff, or with the blank of a line that stays. */
export function withoutDiffMarks(text: string): string | undefined {
  const lines = text.split('\n')
  const solid = lines.filter((line) => line !== '')
  const marks = new Set(solid.map(([mark]) => mark).filter((mark) => mark !== ' '))
  const [mark, another] = [...marks]
  if (mark === undefined || another !== undefined || !'+-'.includes(mark)) return undefined
  return lines.map((line) => line.slice(1)).join('\n')
}

export function withoutFence(text: string): string | undefined {
  const [, body] = /^\s*(?:```|~~~)[\w+#.-]*[ \t]*\n([\s\S]*?\n?)[ \t]*(?:```|~~~)\s*$/.exec(text) ?? []
  return body === undefined || /^[ \t]*(?:```|~~~)/m.test(body) ? undefined : body
}
