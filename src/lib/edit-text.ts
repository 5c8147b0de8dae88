/**
 * One replacement in a text. Only the matched place changes, byte for byte; the new text takes the file's line ends and,
 * where the quote did not fit exactly, the file's indentation.
 */
import { findMatch, type Match } from './match.ts'
import { lineEndOf, withLineEnd } from './text.ts'

export type EditInput = { readonly old: string; readonly new: string }

export type Edited =
  | {
      readonly ok: true
      readonly text: string
      readonly how: Extract<Match, { kind: 'found' }>['how']
      /** What was replaced, in the text before, and by what. */
      readonly start: number
      readonly end: number
      readonly replacement: string
    }
  | { readonly ok: false; readonly match: Exclude<Match, { kind: 'found' }> }

export function editText(text: string, input: EditInput): Edited {
  const lineEnd = lineEndOf(text)
  const wording = { quote: withLineEnd(input.old, '\n'), replacement: withLineEnd(input.new, '\n') }
  const match = findMatch(text, withLineEnd(wording.quote, lineEnd))
  if (match.kind !== 'found') return { ok: false, match }
  const piece = match.how === 'exact' ? withoutGlue(match, wording, lineEnd) : fit(text, match, wording)
  const replacement = withLineEnd(piece.replacement, lineEnd)
  return {
    ...piece,
    ok: true,
    how: match.how,
    replacement,
    text: text.slice(0, piece.start) + replacement + text.slice(piece.end),
  }
}

/** A quote that ends a line, replaced by text that does not, would glue the next line to it: never what was meant. */
function withoutGlue({ start, end }: Span, { quote, replacement }: Wording, lineEnd: string): Piece {
  const wouldGlue = quote.endsWith('\n') && replacement !== '' && !replacement.endsWith('\n')
  return { start, end: wouldGlue ? end - lineEnd.length : end, replacement }
}

type Span = { readonly start: number; readonly end: number }
type Piece = Span & { readonly replacement: string }
type Wording = { readonly quote: string; readonly replacement: string }

function fit(text: string, { start, end }: Span, wording: Wording): Piece {
  const lineStart = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1
  const indent = text.slice(lineStart, start)
  if (indent.trim() !== '') return { start, end, replacement: withoutSharedEdges(wording) }

  const isWhole = /^[^\S\n]*(?:\n|$)/.test(text.slice(end, end + 200))
  if (wording.replacement.trim() === '' && isWhole) {
    const next = text.indexOf('\n', end)
    return { start: lineStart, end: next < 0 ? text.length : next + 1, replacement: '' }
  }
  const lines = withoutSharedBlankLines(wording)
  const replacement = reindent(lines, wording.quote, text.slice(lineStart, end)).join('\n')
  return {
    start: lineStart,
    end,
    replacement: isWhole ? replacement : withoutSharedEnd(wording.quote, replacement),
  }
}

/** Blanks around a quote were not matched, so the same blanks around the new text are not written. */
function withoutSharedEdges({ quote, replacement }: Wording): string {
  return withoutSharedEnd(quote, /^\s/.test(quote) ? replacement.trimStart() : replacement)
}

const withoutSharedEnd = (quote: string, replacement: string): string =>
  /\s$/.test(quote) ? replacement.trimEnd() : replacement

function withoutSharedBlankLines({ quote, replacement }: Wording): readonly string[] {
  const old = quote.split('\n')
  const lines = replacement.split('\n')
  const head = Math.min(blankLinesBefore(old), blankLinesBefore(lines))
  const tail = Math.min(blankLinesBefore(old.toReversed()), blankLinesBefore(lines.toReversed()))
  return lines.slice(head, lines.length - tail)
}

const isSolid = (line: string): boolean => line.trim() !== ''

function blankLinesBefore(lines: readonly string[]): number {
  const first = lines.findIndex(isSolid)
  return first < 0 ? lines.length : first
}

const indentOf = (line: string): string => /^[^\S\n]*/.exec(line)?.[0] ?? ''

/**
 * Indents new lines as the file indents the quoted ones. They may be written for the file already, or in the quote's own
 * measure (whose first line often lacks its indentation), or in neither: then they move as one block.
 */
function reindent(lines: readonly string[], quote: string, found: string): readonly string[] {
  const quoted = quote.split('\n').filter(isSolid).map(indentOf)
  const real = found.split('\n').filter(isSolid).map(indentOf)
  const own = indentOf(lines.find(isSolid) ?? '')
  const home = real[0] ?? ''
  if (own === home) return lines
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
