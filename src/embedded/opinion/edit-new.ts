/** The stretches of a clause that may be the new text of an edit, each with the signs by which the ranking judges it. Pure. */
import { boundaries } from '../nano/spans.ts'
import { tellingWords } from './edit-lines.ts'
import { fold } from '../nano/lines.ts'
import { type Part, wordAfter, wordBefore } from './part.ts'
import { shapeOf } from './shape.ts'
import { wordsIn } from './tokens.ts'

export type NewPart = Part & {
  /** Words of the clause besides it, and how far before or behind it they stand. */
  readonly asked: ReadonlyMap<string, Distance>
}

type Distance = { readonly before: number; readonly after: number }

const MOST = 28
const MOST_WORDS = 9

/** What may be written without being said, and by which words that is meant. */
export const UNSAID = ['', '[x]', '[ ]', 'yes', 'no', 'true', 'false', 'on', 'off', 'done']

/** Stretches of a clause that may be the new text. */
export function newParts(clause: string, paths: readonly string[]): NewPart[] {
  const { starts, ends, words } = boundaries(clause)
  const quotes = [
    ...clause.matchAll(/"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<![\p{L}\p{N}])'([^'\n]+)'(?![\p{L}\p{N}])/gu),
  ].map(({ 0: quote, index }) => ({
    start: index + 1,
    end: index + quote.length - 1,
  }))
  const inQuote = (at: number): { start: number; end: number } | undefined =>
    quotes.find(({ start, end }) => at >= start && at < end)
  const names = new Set(
    paths.flatMap((path) => [path.toLowerCase(), path.slice(path.lastIndexOf('/') + 1).toLowerCase()]),
  )
  const found: (Part & { score: number })[] = []
  for (const start of starts) {
    const quote = inQuote(start)
    if (quote && quote.start !== start) continue
    const limit = words[words.findLastIndex((word) => word <= start) + MOST_WORDS] ?? Infinity
    for (const end of ends) {
      if (end <= start || end > limit) continue
      if (quote && end !== quote.end) continue
      const text = clause.slice(start, end)
      if (!/[\p{L}\p{N}]/u.test(text) || text.includes('\n')) continue
      const signs = newSigns(
        clause,
        { start, end, text },
        { isQuoted: quote !== undefined, isPath: names.has(text.toLowerCase()) },
      )
      found.push({ start, end, text, signs, score: roughly(signs) })
    }
  }
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map((part) => ({ ...part, asked: askedBeside(clause, part) }))
}

function askedBeside(clause: string, { start, end }: Pick<Part, 'start' | 'end'>): NewPart['asked'] {
  const outside = `${clause.slice(0, start)}${' '.repeat(end - start)}${clause.slice(end)}`
  const telling = tellingWords(outside)
  const places = new Map<string, Distance>()
  for (const { 0: word, index } of outside.toLowerCase().matchAll(/\p{L}+|\p{N}+/gu)) {
    const folded = fold(word)
    if (!telling.has(folded)) continue
    const known = places.get(folded) ?? { before: FAR, after: FAR }
    const isBefore = index < start
    places.set(folded, {
      before: isBefore ? Math.min(known.before, start - index - word.length) : known.before,
      after: isBefore ? known.after : Math.min(known.after, index - end),
    })
  }
  for (const word of telling) if (!places.has(word)) places.set(word, { before: FAR, after: FAR })
  return places
}

/** Further than any clause is long. */
export const FAR = 9999

function newSigns(
  clause: string,
  { start, end, text }: { start: number; end: number; text: string },
  { isQuoted, isPath }: { isQuoted: boolean; isPath: boolean },
): string[] {
  const before = wordBefore(clause, start)
  const after = wordAfter(clause, end)
  const mark = /^["'”’`)]*([.,;:!?])/.exec(clause.slice(end))?.[1] ?? ''
  const count = text.trim().split(/\s+/).length
  return [
    `new-after:${before}`,
    `new-before:${after}`,
    `new-mark:${mark}`,
    `new-words:${Math.min(5, count)}`,
    `new-shape:${shapeOf(text)}`,
    `new-shape-after:${shapeOf(text)} ${before}`,
    `new-rest:${restOf(clause.slice(end))}`,
    `new-rest-after:${restOf(clause.slice(end))} ${before}`,
    ...(/[.,;:!?]$/.test(text) ? [`new-ends:${text.slice(-1)}`] : []),
    ...(isQuoted ? ['new-quoted'] : []),
    ...(isPath ? ['new-path'] : []),
    ...(/^(?:the|a|an|to|in|of|on|is|be|and|it|that|this|for|from|with|as|by)\b/i.test(text)
      ? ['new-begins-thin']
      : []),
    ...(/\b(?:the|a|an|to|in|of|on|is|be|and|it|that|for|from|with|as|by)$/i.test(text)
      ? ['new-ends-thin']
      : []),
    ...(/\b(?:to|in|from|should|must|instead)\b/i.test(text) && !isQuoted ? ['new-holds-joint'] : []),
  ]
}

/** How much is said behind it, up to where another thought begins. */
function restOf(rest: string): string {
  const [own = ''] = rest.split(
    /[.;!?](?:\s|$)|,\s|\s(?:and|then|in|on|at|for|please|instead|so|but|because|as|not|from)\s/i,
  )
  const count = wordsIn(own).length
  return count === 0 ? (wordsIn(rest).length === 0 ? 'end' : 'joint') : count === 1 ? '1' : 'more'
}

const GIVES = new Set(
  'to with be = -> into by as say says is becomes read at now → => : becoming saying reads'.split(' '),
)

/** Enough to leave out what is never meant. */
function roughly(signs: readonly string[]): number {
  const has = (sign: string): boolean => signs.includes(sign)
  const before = signs[0]?.slice('new-after:'.length) ?? ''
  const after = signs[1]?.slice('new-before:'.length) ?? ''
  return (
    (GIVES.has(before) ? 4 : 0) +
    (has('new-quoted') ? 4 : 0) +
    (['$', 'in', 'and', 'instead', 'please', 'then', 'for', 'not', 'from', 'on', 'at'].includes(after)
      ? 2
      : 0) +
    (signs[4] !== 'new-shape:word' && signs[4] !== 'new-shape:words' ? 2 : 0) -
    (has('new-path') ? 4 : 0) -
    (has('new-begins-thin') ? 3 : 0) -
    (has('new-ends-thin') ? 3 : 0) -
    (has('new-holds-joint') ? 2 : 0) -
    (signs[3] === 'new-words:5' ? 1 : 0)
  )
}
