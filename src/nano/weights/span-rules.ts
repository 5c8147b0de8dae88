/** Stretches of a text as alternatives of a grammar: from each start to any of its ends. Pure. */
import { lengthOf, lineBoundaries, wordsOf } from '../request/spans.ts'

export type Span = { readonly start: number; readonly ends: readonly number[] }

export const LONGEST_NUMBER = 24

/** `25`, `£2.95`, `30s`, `-4`, `12:30`: digits with at most a unit. */
export const isNumber = (text: string): boolean =>
  /^[-+~]?[£$€¥]?\d[\d.,:/-]*(?:%|[A-Za-z]{1,3})?$/.test(text)

/** The span with those of its ends that leave a wanted text. */
export function endingIn(text: string, { start, ends }: Span, isWanted: (part: string) => boolean): Span[] {
  const left = ends.filter((end) => isWanted(text.slice(start, end)))
  return left.length > 0 ? [{ start, ends: left }] : []
}

export function spansOf(text: string): Span[] {
  const { starts, ends } = lineBoundaries(text)
  return starts
    .map((start) => ({ start, ends: ends.filter((end) => end > start) }))
    .filter((span) => span.ends.length > 0)
}

export const isSame =
  (text: string) =>
  (part: string): boolean =>
    part.toLowerCase() === text.toLowerCase()

/** Whether a text can be pointed at in a line. */
export const hasSpan = (line: string, text: string): boolean =>
  spansOf(line).some((span) => endingIn(line, span, isSame(text)).length > 0)

/** From the start to any of the ends. */
export const spelledOut = (text: string, { start, ends }: Span, literal: (text: string) => string): string =>
  ends.reduceRight((rest, end, index) => {
    const piece = literal(escaped(text.slice(ends[index - 1] ?? start, end)))
    return rest === '' ? piece : `${piece} (${rest})?`
  }, '')

/** As it is written in a JSON string. */
export const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const MOST_RESULT_WORDS = 64
const LONGEST_LINE = 80
/** Where Python ends a line. */
const LINES = /\r\n|[\n\v\f\r\u001C-\u001E\u0085\u2028\u2029]/

/** What a result may tell the next call: its first words, and its short lines. */
export function resultWords(text: string): string[] {
  const lines = text.split(LINES).map((line) => line.trim())
  const short = lines.filter((line) => line !== '' && lengthOf(line) <= LONGEST_LINE)
  return [...wordsOf(text).slice(0, MOST_RESULT_WORDS), ...short.slice(0, MOST_RESULT_WORDS)]
}
