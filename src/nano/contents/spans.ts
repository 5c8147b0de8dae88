/** The stretches of a clause that may be the text to be written: parts of one line, quotes, and several lines said in a row. Pure. */
import { boundaries } from '../request/spans.ts'

export type ContentSpan = {
  readonly text: string
  readonly start: number
  readonly end: number
  /** `lines`: said in a row, one under the other in the file; `turns`: with words between them that say so. */
  readonly kind: 'span' | 'quote' | 'lines' | 'turns' | 'quotes' | 'block'
}

const QUOTED =
  /"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|‘([^’\n]+)’|(?<![\p{L}\p{N}])'([^\n]+?)'(?![\p{L}\p{N}])/gu

type Quote = { readonly start: number; readonly end: number }

const quotesOf = (clause: string): Quote[] =>
  Array.from(clause.matchAll(QUOTED), ({ 0: all, index }) => ({
    start: index + 1,
    end: index + all.length - 1,
  }))

export function contentSpans(clause: string): ContentSpan[] {
  const quotes = quotesOf(clause)
  const said = saidSpans(clause, quotes)
  const several = [...quotesInTurn(clause, quotes), ...blocksOf(clause)]
  const lines = said.flatMap((span) => linesOf(span, clause))
  return [...quotes.map((quote) => spanOf(clause, quote, 'quote')), ...several, ...said, ...lines]
}

const spanOf = (clause: string, { start, end }: Quote, kind: ContentSpan['kind']): ContentSpan => ({
  text: clause.slice(start, end),
  start,
  end,
  kind,
})

const MOST_SPANS = 160

function saidSpans(clause: string, quotes: readonly Quote[]): ContentSpan[] {
  const { starts, ends } = boundaries(clause)
  const isTorn = ({ start, end }: Quote): boolean =>
    quotes.some((one) => {
      const isApart = end < one.start || start > one.end
      const isAround = start < one.start && end > one.end
      return !isApart && !isAround
    })
  const all = [...new Set([...starts, ...afterSigns(clause)])]
  const stops = [...new Set([...ends, clause.trimEnd().length])]
  const found = all.flatMap((start) =>
    stops.flatMap((end) => {
      const text = clause.slice(start, end)
      const isText = end > start && /[\p{L}\p{N}]/u.test(text) && !text.includes('\n')
      return isText && !isTorn({ start, end }) ? [spanOf(clause, { start, end }, 'span')] : []
    }),
  )
  return found
    .map((span) => ({ span, score: roughly(clause, span) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_SPANS)
    .map(({ span }) => span)
}

/** "Append:- buy milk". */
const afterSigns = (clause: string): number[] =>
  Array.from(clause.matchAll(/(?<=\S):(?=-)/g), ({ index }) => index + 1)

const BEGINS =
  /(?:\b(?:add|append|put|write|note|stick|jot|drop|line|row|entry|item|point|says?|saying|with|contains?|containing|reads?|reading|text|words?|called|just|only|bung|pop|chuck|throw|get|gets|heading|header|title|todo|todos|tasks?|note|down|it|be|in|is|to|for|as|of|the|a|that|list|one|new|step|and)|[:,;.=+>–—-]|\d)\s*["'“`(]?$|^\W*$/i
const GOES_ON =
  /^["'”’`).!]*(?:\s+(?:to|in|into|onto|on|at|as|under|below|beneath|for|and|then|please|pls|goes|there|is|the|with|bung|put|add)\b|[.,;!?)]|\s*[-–—]|\s*$)/i

/** Enough to leave out what is never meant. */
const roughly = (clause: string, { start, end, text }: ContentSpan): number =>
  (BEGINS.test(clause.slice(Math.max(0, start - 20), start)) ? 3 : 0) +
  (/[:"“`]\s*$/.test(clause.slice(0, start)) ? 3 : 0) +
  (GOES_ON.test(clause.slice(end)) ? 3 : 0) +
  (/^\W*$/.test(clause.slice(end)) ? 2 : 0) -
  (/^(?:the|to|in|of|on|at|as|add|put|append|write)\b/i.test(text) ? 1 : 0) -
  (/\b(?:the|to|in|of|on|a|an|and|at|with)$/i.test(text) ? 3 : 0) +
  Math.min(1, text.length / 100)

/** All quotes from one to another. */
const MOST_QUOTES = 8

function quotesInTurn(clause: string, quotes: readonly Quote[]): ContentSpan[] {
  const few = quotes.slice(0, MOST_QUOTES)
  return few.flatMap((first, from) =>
    few.slice(from + 1).map((last, more) => ({
      start: first.start,
      end: last.end,
      text: few
        .slice(from, from + more + 2)
        .map(({ start, end }) => clause.slice(start, end))
        .join('\n'),
      kind: 'quotes' as const,
    })),
  )
}

/** Lines of the clause itself. */
function blocksOf(clause: string): ContentSpan[] {
  const places = Array.from(clause.matchAll(/\n/g), ({ index }) => index)
  const starts = [
    ...places.map((at) => at + 1),
    ...Array.from(clause.matchAll(/:\s+/g), ({ 0: all, index }) => index + all.length),
  ]
  const ends = [...places, clause.length]
  return starts.flatMap((start) =>
    ends.flatMap((end) => {
      const text = clause.slice(start, end)
      return end > start && text.trim().includes('\n') && !text.startsWith('\n')
        ? [{ start, end, text: text.trimEnd(), kind: 'block' as const }]
        : []
    }),
  )
}

const WORD_OF_LINE = String.raw`(?:(?:the\s+)?(?:first|second|third|fourth|next|last|top)(?:\s+(?:line|one|row))?|(?:line|row)\s+(?:\d|one|two|three|four)|lines?|rows?|header|heading)`
/** Between two lines that are said in a row. */
export const TURN = new RegExp(
  String.raw`[\s,;.]+(?:and\s+|then\s+)*(?:(?:on\s+)?${WORD_OF_LINE}|(?:and\s+)?(?:under|below|beneath|underneath|after)\s+(?:it|that|this))(?:\s*[:,=]|\s+(?:is|being|with|says|saying|the row|row))*\s+|\s+on (?:the |its )?(?:first|second|third|next|last)(?: line)?(?:[\s,;]+(?:and|then)\s+|$)`,
  'gi',
)
const LISTED = [
  /,\s+(?:and\s+|then\s+)?|\s+(?:and|plus|&)\s+/,
  /,\s+(?:and\s+)?/,
  /;\s+(?:and\s+)?/,
  /\s+(?:and|plus|&)\s+/,
  / \/ /,
]
const LINES_SAID =
  /\b(?:lines|rows|entries|items|bullets|points|one per|per line|each|tasks|names|things|below (?:it|that)|under (?:it|that)|first|two|three|four|five|second|header|these)\b/i

/** The span as several lines; nothing where nothing says that there is more than one. */
function linesOf({ text, start, end, kind }: ContentSpan, clause: string): ContentSpan[] {
  if (kind !== 'span' || !LINES_SAID.test(clause)) return []
  const toLines = (items: readonly (string | undefined)[]): string[] => {
    const lines = items.map(bareLine).filter((item) => item !== '')
    return lines.length > 1 ? [lines.join('\n')] : []
  }
  const turns = toLines(text.split(TURN))
  const lists = new Set(LISTED.flatMap((by) => toLines(text.split(by))))
  return [
    ...turns.map((joined) => ({ text: joined, start, end, kind: 'turns' as const })),
    ...[...lists].map((joined) => ({ text: joined, start, end, kind: 'lines' as const })),
  ]
}

/** Without the quotes around it, and what says which line it is. */
const bareLine = (item = ''): string =>
  item
    .trim()
    .replace(/^(?:first|second|third|line (?:\d|one|two|three))(?:\s+(?:line|one))?[\s:,]+/i, '')
    .replace(/^(["'“`])(.+)["'”`]$/, '$2')
    .replace(/[,;]$/, '')
