/** What a result says about itself, read back from its text: the path it is really about, the lines it shows. Pure. */
import { definedName } from '../lib/definitions.ts'

export type LineRange = { readonly from: number; readonly to: number }

export type Named = { readonly name: string; readonly line: number }

const CORRECTED = /^\[path corrected: (.+) -> (.+)\]$/

/** The path as it was corrected; notes precede a result. */
export function correctedPath(text: string): string | undefined {
  for (const line of text.split('\n', 4)) {
    if (!line.startsWith('[')) return undefined
    const path = CORRECTED.exec(line)?.[2]
    if (path !== undefined) return path
  }
  return undefined
}

const NUMBERED = /^(\d{1,7})(?:[a-z]{2})?\t(.*)$/

/** The numbered lines of a page. What an outline behind the page names is not shown by it. */
function shownLines(text: string): readonly { readonly line: number; readonly text: string }[] {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => OUTLINE.test(line))
  return (end < 0 ? lines : lines.slice(0, end)).flatMap((line) => {
    const [, number, rest = ''] = NUMBERED.exec(line) ?? []
    return number === undefined ? [] : [{ line: Number(number), text: rest }]
  })
}

const OUTLINE = /^\[further down\]$/

export function shownRange(text: string): LineRange | undefined {
  const shown = shownLines(text)
  const [first, last] = [shown[0], shown.at(-1)]
  return first && last && { from: first.line, to: last.line }
}

/** What the page defines and what its outline names, in order. */
export const namesIn = (text: string): readonly Named[] =>
  text.split('\n').flatMap((line) => {
    const [, number, rest = ''] = NUMBERED.exec(line) ?? []
    const name = definedName(rest)
    return number === undefined || name === undefined ? [] : [{ name, line: Number(number) }]
  })

/** Ranges that touch or overlap become one. */
export function joinRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = []
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && range.from <= last.to + 1)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, range.to) }
    else joined.push(range)
  }
  return joined
}

export const rangeText = (ranges: readonly LineRange[]): string =>
  ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ')

export const readRanges = (text: string): readonly LineRange[] =>
  text.split(', ').flatMap((part) => {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? []
    return from === undefined ? [] : [{ from: Number(from), to: Number(to ?? from) }]
  })
