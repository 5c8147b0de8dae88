/** New lines indented as a file indents the lines they replace, in tabs or blanks as the file has it. Pure. */

const indentOf = (line: string): string => /^[^\S\n]*/.exec(line)?.[0] ?? ''

/**
 * Indents new lines as the file indents the quoted ones. They may be written for the file already, or in the quote's own
 * measure (whose first line often lacks its indentation), or in neither: then they move as one block.
 */
export function reindent(lines: readonly string[], quote: string, found: string): readonly string[] {
  const quoted = quote.split('\n').filter(isSolid).map(indentOf)
  const real = found.split('\n').filter(isSolid).map(indentOf)
  const own = indentOf(lines.find(isSolid) ?? '')
  const home = real[0] ?? ''
  const isSame = quoted.every((indent, index) => indent === real[index])
  if (own === home && (isSame || own !== quoted[0])) return lines
  if (own !== quoted[0]) return lines.map((line) => shift(line, [{ from: own, to: home }]))
  const pairs = quoted.map((from, index) => ({ from, to: real[index] ?? from }))
  return lines.map((line, index) => shift(line, index === 0 || pairs.length === 1 ? pairs : pairs.slice(1)))
}

type Pair = { readonly from: string; readonly to: string }

/** The deepest quoted indentation the line begins with decides; a line that stands further left moves by the difference. */
function shift(line: string, pairs: readonly Pair[]): string {
  if (!isSolid(line)) return line
  const indent = indentOf(line)
  const deepest = pairs
    .filter(({ from }) => indent.startsWith(from))
    .toSorted((a, b) => b.from.length - a.from.length)[0]
  if (deepest) return deepest.to + line.slice(deepest.from.length)
  const { from, to } = pairs[0] ?? { from: '', to: '' }
  return to.slice(0, Math.max(0, to.length - from.length + indent.length)) + line.slice(indent.length)
}

const isSolid = (line: string): boolean => line.trim() !== ''

/** Indentation in the characters of the file: tabs where it has only those, blanks where it has only those. */
export function inStyleOf(file: string, text: string): string {
  const style = styleOf(file)
  if (style === undefined || style === styleOf(text) || styleOf(text) === undefined) return text
  const unit = style === 'tabs' ? unitOf(text) : unitOf(file)
  const blanks = ' '.repeat(unit)
  return text
    .split('\n')
    .map((line) => {
      const indent = indentOf(line)
      const other = style === 'tabs' ? indent.replaceAll(blanks, '\t') : indent.replaceAll('\t', blanks)
      return other + line.slice(indent.length)
    })
    .join('\n')
}

function styleOf(text: string): 'tabs' | 'blanks' | undefined {
  const tabs = /^\t/m.test(text)
  const blanks = /^ {2,}\S/m.test(text)
  if (tabs === blanks) return undefined
  return tabs ? 'tabs' : 'blanks'
}

/** The least indentation there is; comments that line up by one blank do not count. */
const unitOf = (text: string): number =>
  Math.min(8, ...Array.from(text.matchAll(/^( {2,})\S/gm), ([, indent = '']) => indent.length))
