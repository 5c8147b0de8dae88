/** The stretches of a clause that may be the new text of an edit, each with the signs by which the ranking judges it. Pure. */
import { boundaries } from '../request/spans.ts'
import { tellingWords } from './lines.ts'
import { fold } from '../project/lines.ts'
import { datesIn } from '../paths/dates.ts'
import { rootOf } from '../paths/named.ts'
import { numberWords, stopWords } from '../request/words.ts'
import type { OldPart } from './old.ts'
import { isCut, type Look, lookOf, type Part, wordAfter, wordBefore } from '../opinion/part.ts'
import { shapeOf } from '../opinion/shape.ts'
import { wordsIn } from '../opinion/tokens.ts'

export type NewPart = Part &
  Look & {
    /** Words of the clause besides it, and how far before or behind it they stand. */
    readonly asked: ReadonlyMap<string, Distance>
    readonly isCut: boolean
    /** Its words as they are compared. */
    readonly folded: readonly string[]
  }

/** `isBeside`: in the same sentence. */
type Distance = { readonly before: number; readonly after: number; readonly isBeside: boolean }

const MOST = 36
const MOST_WORDS = 9

/** Stretches of a clause that may be the new text. */
export function newParts(
  clause: string,
  { paths, known }: { readonly paths: readonly string[]; readonly known: ReadonlySet<string> },
): NewPart[] {
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
      if (!quote && quotes.some((one) => tears(one, start, end))) continue
      const text = clause.slice(start, end)
      if ((!/[\p{L}\p{N}]/u.test(text) && !isSign(clause, start, text)) || text.includes('\n')) continue
      const signs = newSigns(
        clause,
        { start, end, text },
        {
          isQuoted: quote !== undefined,
          isPath: names.has(text.toLowerCase()),
          isKnown: known.has(text.toLowerCase()),
        },
      )
      found.push({ start, end, text, signs, score: roughly(signs) })
    }
  }
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .flatMap((part) => [part, ...formsOf(part)])
    .map((part) => toNewPart(clause, part))
}

/** Whether it has a part of a quote but not all, or nothing else. */
const tears = (quote: { start: number; end: number }, start: number, end: number): boolean => {
  const isApart = end <= quote.start - 1 || start >= quote.end + 1
  const isWithin = start < quote.start - 1 && end >= quote.end + 1
  const isBefore = start === quote.start - 1 && end > quote.end + 2
  return !isApart && !isWithin && !isBefore
}

/** "Change the prefix to ?": a sign alone, where one is announced. */
const isSign = (clause: string, start: number, text: string): boolean =>
  text.length <= 2 && /\b(?:to|with|be)\s+["'“`]?$/.test(clause.slice(0, start))

/** "Eight" is written 8, and what has its unit in the line needs none. */
function formsOf(part: Part): Part[] {
  const number = numberWords.get(part.text.toLowerCase())
  const bare = /^[£$€¥](\d[\d.,]*)$|^(\d[\d.,]*)[\p{L}%]{1,3}$/u.exec(part.text)
  const texts = [
    ...(number !== undefined && /^\p{L}+$/u.test(part.text) ? [String(number)] : []),
    ...(bare ? [bare[1] ?? bare[2] ?? ''] : []),
  ]
  return texts.map((text) => ({ ...part, text, signs: [...part.signs, 'new-form'] }))
}

/** "Till 24 oct", "the 9th" where the line has 2025-10-17; "5, not 4" where it has 16:00: what is said, as the line writes it. */
export function otherForms(old: OldPart, clause: string): NewPart[] {
  const forms = [...datesLike(old.text, clause), ...hoursLike(old.text, clause)]
  return forms.map(({ text, at, end }) =>
    toNewPart(clause, { start: at, end, text, signs: ['new-other-form'] }),
  )
}

type OtherForm = { readonly text: string; readonly at: number; readonly end: number }

function datesLike(old: string, clause: string): OtherForm[] {
  const [, year = '', month = ''] = /^(\d{4})-(\d\d)-\d\d$/.exec(old) ?? []
  if (year === '') return []
  return datesIn(clause).flatMap(({ day, month: said, year: own, at, end }) => {
    if (day === undefined) return []
    const two = (number: number): string => String(number).padStart(2, '0')
    const text = `${own ?? year}-${said === undefined ? month : two(said)}-${two(day)}`
    return text === old || clause.includes(text) ? [] : [{ text, at, end }]
  })
}

/** The same half of the day. */
function hoursLike(old: string, clause: string): OtherForm[] {
  const [, hours = '', sign = ''] = /^(\d{1,2})([:.])\d\d$/.exec(old) ?? []
  if (hours === '') return []
  return Array.from(clause.matchAll(/(?<![\w.:/-])(\d{1,2})(?: ?([ap])m)?(?![\w.:/-]*\w)/gi)).flatMap(
    ({ 0: all, 1: said = '', 2: half = '', index }) => {
      const isLater = half === '' ? Number(hours) > 12 : half.toLowerCase() === 'p'
      const hour = Number(said) + (isLater && Number(said) < 12 ? 12 : 0)
      const text = `${hours.length === 2 ? String(hour).padStart(2, '0') : hour}${sign}00`
      return hour > 23 || text === old ? [] : [{ text, at: index, end: index + all.length }]
    },
  )
}

/** "Please approve her leave", where others are `approved`: a value of the column, in another form of the word. */
export function columnForms({ column, text }: OldPart, clause: string): NewPart[] {
  if (!column?.isClosed) return []
  const said = clause.toLowerCase()
  return [...column.values].flatMap((value) => {
    const root = rootOf(value)
    const at =
      root === '' || said.includes(value) || value === text.toLowerCase()
        ? -1
        : said.search(new RegExp(`\\b${root}`))
    if (at < 0) return []
    const end = at + root.length
    return [toNewPart(clause, { start: at, end, text: value, signs: ['new-column-form'] })]
  })
}

const toNewPart = (clause: string, { start, end, text, signs }: Part): NewPart => ({
  start,
  end,
  text,
  signs,
  ...lookOf(text),
  isCut: signs.includes('new-cut'),
  folded: wordsIn(text).map(fold),
  asked: askedBeside(clause, { start, end }),
})

function askedBeside(clause: string, { start, end }: Pick<Part, 'start' | 'end'>): NewPart['asked'] {
  const outside = `${clause.slice(0, start)}${' '.repeat(end - start)}${clause.slice(end)}`
  const telling = tellingWords(outside)
  const places = new Map<string, Distance>()
  const from = Math.max(0, ...Array.from(clause.slice(0, start).matchAll(STOP), ({ index }) => index))
  const stop = clause.slice(end).search(STOP)
  const to = stop < 0 ? clause.length : end + stop
  for (const { 0: word, index } of outside.toLowerCase().matchAll(/\p{L}+|\p{N}+/gu)) {
    const folded = fold(word)
    if (!telling.has(folded)) continue
    const known = places.get(folded) ?? NOWHERE
    const isBefore = index < start
    places.set(folded, {
      before: isBefore ? Math.min(known.before, start - index - word.length) : known.before,
      after: isBefore ? known.after : Math.min(known.after, index - end),
      isBeside: known.isBeside || (index >= from && index < to),
    })
  }
  for (const word of telling) if (!places.has(word)) places.set(word, NOWHERE)
  return places
}

/** Further than any clause is long. */
export const FAR = 9999
const NOWHERE: Distance = { before: FAR, after: FAR, isBeside: false }
/** Where a sentence ends. */
const STOP = /[.;!?](?=\s)/g

function newSigns(
  clause: string,
  { start, end, text }: { start: number; end: number; text: string },
  { isQuoted, isPath, isKnown }: { isQuoted: boolean; isPath: boolean; isKnown: boolean },
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
    ...correctedSigns(clause, { start, end }),
    ...(isQuoted ? ['new-quoted'] : []),
    ...(isPath ? ['new-path'] : []),
    ...(isKnown ? ['new-known'] : []),
    ...(count === 1 && isThin(text) ? ['new-thin'] : []),
    ...(GIVES.has(before) ? ['new-given'] : []),
    ...(!isQuoted && /["“”`]/.test(text) ? ['new-holds-quote'] : []),
    ...(isCut(clause, start, end) ? ['new-cut'] : []),
    ...(!isQuoted && STOP_INSIDE.test(text) ? ['new-has-stop'] : []),
    ...(/^(?:the|a|an|to|in|of|on|is|be|and|it|that|this|for|from|with|as|by)\b/i.test(text)
      ? ['new-begins-thin']
      : []),
    ...(/\b(?:the|a|an|to|in|of|on|is|be|and|it|that|for|from|with|as|by)$/i.test(text)
      ? ['new-ends-thin']
      : []),
    ...(/\b(?:to|in|from|should|must|instead)\b/i.test(text) && !isQuoted ? ['new-holds-joint'] : []),
  ]
}

/** "Put it to WARN, no sorry, INFO": what is said behind such words takes the place of what was said before them. */
const CORRECTS =
  /\b(?:(?:no|oh|nah|er+|uh|um|sorry|actually|wait|hang on|hold on)[\s,]+)*(?:no wait|wait no|no sorry|sorry|scratch that|strike that|i mean|make that|no make it|rather no|or no|correction|actually no|no actually|oh wait|on second thought|better)\b/gi

function correctedSigns(clause: string, { start, end }: { start: number; end: number }): string[] {
  const [last] = Array.from(clause.matchAll(CORRECTS)).slice(-1)
  if (!last) return []
  return end <= last.index
    ? ['new-taken-back']
    : start >= last.index + last[0].length
      ? ['new-corrected']
      : []
}

const isThin = (text: string): boolean => stopWords.has(text.toLowerCase()) || THIN.has(text.toLowerCase())

const THIN = new Set(
  'now again too please just still only well sorry thanks cheers today back that'.split(' '),
)

const STOP_INSIDE = /[.;!?,] /

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
    (has('new-known') ? 4 : 0) -
    (has('new-cut') ? 3 : 0) -
    (has('new-has-stop') ? 2 : 0) +
    ([
      '$',
      'in',
      'and',
      'instead',
      'please',
      'then',
      'for',
      'not',
      'from',
      'on',
      'at',
      'now',
      'is',
      ',',
    ].includes(after)
      ? 2
      : 0) +
    (signs[4] !== 'new-shape:word' && signs[4] !== 'new-shape:words' ? 2 : 0) -
    (has('new-path') ? 4 : 0) -
    (has('new-thin') ? 2 : 0) -
    (has('new-holds-quote') ? 3 : 0) -
    (has('new-begins-thin') || has('new-ends-thin') ? 3 : 0) -
    (has('new-holds-joint') ? 2 : 0) -
    (signs[3] === 'new-words:5' ? 1 : 0)
  )
}
