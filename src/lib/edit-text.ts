/**
 * One replacement in a text. Only the matched place changes; where the quote did not fit exactly, the difference
 * between quote and new text is made to the file's own lines, with the file's line ends and indentation.
 */
import { findAnchored } from './anchored-lines.ts'
import { unescaped, withoutDiffMarks, withoutEntities, withoutFence } from './disguise.ts'
import { elisionsIn, isElision } from './elision.ts'
import { withoutLineNumbers } from './line-numbers.ts'
import { hasLookAlikes, toAscii } from './look-alikes.ts'
import { findMatch, type Match, type MatchKind, type Span } from './match.ts'
import { inStyleOf, reindent } from './reindent.ts'
import { lineEndOf, withLineEnd } from './text.ts'
import { mergeLines, type Slip } from './three-way.ts'

export type EditInput = {
  readonly old: string
  readonly new: string
  /** Everywhere, not only where it is the only place. */
  readonly all?: boolean
}

export type Edited =
  | {
      readonly ok: true
      readonly text: string
      readonly how: MatchKind
      /** What was replaced, in the text before, and by what. */
      readonly pieces: readonly Piece[]
    }
  | { readonly ok: false; readonly match: Exclude<Match, { kind: 'found' }> }
  /** A line to change reads differently in the file; `slip` holds the text found there. */
  | ({ readonly ok: false; readonly slip: Slip } & Pick<Span, 'start'>)
  /** The new text leaves something out that the file has. */
  | { readonly ok: false; readonly elided: readonly string[] }

type Piece = Span & { readonly replacement: string }

export function editText(text: string, input: EditInput): Edited {
  const all = input.all ?? false
  const tries = wordings(text, input).map((wording) => editOnce(text, wording, all))
  const best = tries.find(({ ok }) => ok) ?? undisguised(text, input, all) ?? anchored(text, input, tries)
  if (best) return best
  const elided = tries.find((tried) => 'elided' in tried)
  const slip = tries.find((tried) => 'slip' in tried)
  const many = tries.find((tried) => 'match' in tried && tried.match.kind === 'many')
  return elided ?? many ?? slip ?? tries[0] ?? { ok: false, match: { kind: 'none' } }
}

type Wording = { readonly quote: string; readonly replacement: string }

/**
 * As it was written, then without what models add to a quote: line numbers, other quote characters, marks for left-out
 * lines.
 */
function wordings(text: string, input: EditInput): readonly Wording[] {
  const written = { quote: withLineEnd(input.old, '\n'), replacement: withLineEnd(input.new, '\n') }
  const plain = hasLookAlikes(text) ? written : mapWording(written, toAscii)
  const bare = withoutLineNumbers(plain.quote)
  const unnumbered = bare === undefined ? [] : [mapWording(plain, (part) => withoutLineNumbers(part) ?? part)]
  // What is written must not bring in characters the file has none of, even where the quote had none.
  return [...(plain.quote === written.quote ? [plain] : [written, plain]), ...unnumbered]
}

/** Copied from a string, a page, a diff or a fence: only where the file contains the text itself verbatim. */
function undisguised(text: string, input: EditInput, all: boolean): Edited | undefined {
  for (const bare of [unescaped, withoutEntities, withoutDiffMarks, withoutFence]) {
    const quote = bare(withLineEnd(input.old, '\n'))
    if (quote === undefined || quote.trim() === '') continue
    const written = withLineEnd(input.new, '\n')
    const edited = editOnce(text, { quote, replacement: bare(written) ?? written }, all)
    if (edited.ok && edited.how === 'exact') return edited
  }
  return undefined
}

/** The lines to change are there once and only their context is not: nothing else of the quote is used. */
function anchored(text: string, input: EditInput, tries: readonly Edited[]): Edited | undefined {
  if (input.all || !tries.every((tried) => 'match' in tried && tried.match.kind === 'none')) return undefined
  const lineEnd = lineEndOf(text)
  for (const { quote, replacement } of wordings(text, input)) {
    const trimmed = (part: string): string => withLineEnd(part.replace(/\n$/, ''), lineEnd)
    const edit = findAnchored(text, trimmed(quote), trimmed(replacement))
    if (edit && elisionsIn(replacement, `${text}\n${quote}`).length === 0)
      return {
        ok: true,
        how: 'similar',
        pieces: [edit],
        text: text.slice(0, edit.start) + edit.replacement + text.slice(edit.end),
      }
  }
  return undefined
}

const mapWording = ({ quote, replacement }: Wording, change: (part: string) => string): Wording => ({
  quote: change(quote),
  replacement: change(replacement),
})

function editOnce(text: string, wording: Wording, all: boolean): Edited {
  const spread = spreadElision(text, wording)
  if (spread && !spread.ok) return spread
  const meant = spread?.wording ?? wording
  const elided = spread ? [] : elisionsIn(meant.replacement, `${text}\n${meant.quote}`)
  if (elided.length > 0 && meant.quote.trim() !== '') return { ok: false, elided }
  const lineEnd = lineEndOf(text)
  const match = findMatch(text, withLineEnd(meant.quote, lineEnd))
  if (match.kind === 'none' || (match.kind === 'many' && (!all || match.how === 'similar')))
    return { ok: false, match }
  const spans = match.kind === 'many' ? match.spans : [match]
  return replaceAt(text, spans, { wording: meant, how: match.how })
}

type Plan = { readonly wording: Wording; readonly how: MatchKind }

function replaceAt(text: string, spans: readonly Span[], { wording, how }: Plan): Edited {
  const lineEnd = lineEndOf(text)
  const pieces: Piece[] = []
  for (const span of spans) {
    const piece = how === 'exact' ? withoutGlue(text, span, wording) : fit(text, span, wording)
    if ('slip' in piece) return { ok: false, slip: piece.slip, start: span.start }
    pieces.push({ ...piece, replacement: withLineEnd(inStyleOf(text, piece.replacement), lineEnd) })
  }
  let result = ''
  let at = 0
  for (const { start, end, replacement } of pieces) {
    result += text.slice(at, start) + replacement
    at = end
  }
  return { ok: true, how, pieces, text: result + text.slice(at) }
}

/** A quote that ends a line, replaced by text that does not, would glue the next line to it: never what was meant. */
function withoutGlue(text: string, span: Span, { quote, replacement }: Wording): Piece {
  if (replacement === '') return { ...withBlankLine(text, span), replacement }
  const wouldGlue = quote.endsWith('\n') && !replacement.endsWith('\n')
  return { ...span, end: wouldGlue ? span.end - lineEndOf(text).length : span.end, replacement }
}

/** Whole lines that go take one of the two blank lines around them along. */
function withBlankLine(text: string, { start, end }: Span): Span {
  const isLineStart = start === 0 || text[start - 1] === '\n'
  if (!isLineStart) return { start, end }
  const close = /^[^\S\n]*(?:\n|$)/.exec(text.slice(end))
  const isClosed = text[end - 1] === '\n'
  if (!isClosed && !close) return { start, end }
  const last = isClosed ? end : end + (close?.[0].length ?? 0)
  const blankBefore =
    start === 0 || /\n[^\S\n]*\n$/.test(text.slice(0, start)) || /^[^\S\n]*\n$/.test(text.slice(0, start))
  const blankBehind = /^[^\S\n]*\n/.exec(text.slice(last))
  return { start, end: blankBefore && blankBehind ? last + blankBehind[0].length : last }
}

function fit(text: string, { start, end }: Span, wording: Wording): Piece | { readonly slip: Slip } {
  const lineStart = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1
  const isInLine = text.slice(lineStart, start).trim() !== ''
  if (isInLine) return { start, end, replacement: withoutSharedEdges(wording) }

  const isWhole = /^[^\S\n]*(?:\n|$)/.test(text.slice(end, end + 200))
  const found = withLineEnd(text.slice(lineStart, end), '\n')
  if (wording.replacement.trim() === '' && isWhole) {
    const gone = mergeLines({ old: wording.quote.split('\n'), replacement: [], found: found.split('\n') })
    return gone.ok ? { ...withBlankLine(text, { start: lineStart, end }), replacement: '' } : gone
  }
  const { old, lines } = withoutSharedBlankLines(wording)
  const replacement = reindent(lines, wording.quote, found)
  const merged = mergeLines({ old, replacement, found: found.split('\n') })
  if (!merged.ok) return merged
  const joined = merged.lines.join('\n')
  return {
    start: lineStart,
    end,
    replacement: isWhole ? joined : withoutSharedEnd(wording.quote, joined),
  }
}

/** Blanks around a quote were not matched, so the same blanks around the new text are not written. */
function withoutSharedEdges({ quote, replacement }: Wording): string {
  return withoutSharedEnd(quote, /^\s/.test(quote) ? replacement.trimStart() : replacement)
}

const withoutSharedEnd = (quote: string, replacement: string): string =>
  /\s$/.test(quote) ? replacement.trimEnd() : replacement

function withoutSharedBlankLines({ quote, replacement }: Wording) {
  const old = quote.split('\n')
  const lines = replacement.split('\n')
  const head = Math.min(blankLinesBefore(old), blankLinesBefore(lines))
  const tail = Math.min(blankLinesBefore(old.toReversed()), blankLinesBefore(lines.toReversed()))
  return { old: old.slice(head, old.length - tail), lines: lines.slice(head, lines.length - tail) }
}

function blankLinesBefore(lines: readonly string[]): number {
  const first = lines.findIndex((line) => line.trim() !== '')
  return first < 0 ? lines.length : first
}

type Spread =
  | { readonly ok: true; readonly wording: Wording }
  | { readonly ok: false; readonly elided: readonly string[] }

/** A quote that leaves lines out is completed from the file, if exactly one completion fits. */
function spreadElision(text: string, { quote, replacement }: Wording): Spread | undefined {
  const lines = quote.trim().split('\n')
  const marks = lines.filter(isElision)
  const isCut = /\S.{7,}(?:\.{3}|…)$/.test(lines.at(-1) ?? '')
  if ((marks.length === 0 && !isCut) || occursIn(text, quote)) return undefined
  const parts = partsOf(lines)
  const whole = onlyStretch(withLineEnd(text, '\n'), parts)
  if (whole === undefined) return undefined
  const inNew = replacement.split('\n').filter(isElision)
  if (inNew.length === 0) return { ok: true, wording: { quote: whole.text, replacement } }
  if (inNew.length !== whole.between.length) return { ok: false, elided: inNew }
  const between = [...whole.between]
  const filled = replacement
    .split('\n')
    .flatMap((line) => (isElision(line) ? (between.shift() ?? []) : [line]))
  return { ok: true, wording: { quote: whole.text, replacement: filled.join('\n') } }
}

const occursIn = (text: string, quote: string): boolean => withLineEnd(text, '\n').includes(quote.trim())

/** The lines between the marks. A last line that ends in dots goes on to the end of its line. */
function partsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]]
  for (const line of lines) {
    if (isElision(line)) parts.push([])
    else parts.at(-1)?.push(line)
  }
  return parts.filter((part) => part.length > 0)
}

type Stretch = { readonly text: string; readonly between: readonly (readonly string[])[] }

/** The one stretch of lines that begins with the first part, ends with the last and holds the others in order. */
function onlyStretch(text: string, parts: readonly (readonly string[])[]): Stretch | undefined {
  const lines = text.split('\n')
  const [first = []] = parts
  const starts = lines.flatMap((_, index) => (matchesAt(lines, index, first) ? [index] : []))
  if (starts.length !== 1) return undefined
  let at = (starts[0] ?? 0) + first.length
  const between: string[][] = []
  for (const part of parts.slice(1)) {
    const next = lines.findIndex((_, index) => index >= at && matchesAt(lines, index, part))
    if (next < 0) return undefined
    between.push(lines.slice(at, next))
    at = next + part.length
  }
  return { text: lines.slice(starts[0], at).join('\n'), between }
}

const matchesAt = (lines: readonly string[], at: number, part: readonly string[]): boolean =>
  part.every((quoted, index) => {
    const line = lines[at + index]?.trim()
    const wanted = quoted.trim()
    const begun = /^(.{8,}?)(?:\.{3}|…)$/.exec(wanted)?.[1]
    return line !== undefined && (line === wanted || (begun !== undefined && line.startsWith(begun)))
  })
