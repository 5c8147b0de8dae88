/** How words of a request name a path. Pure. */
import type { NanoCall } from '../steps/run.ts'
import { placesOf } from './spans.ts'

export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[a-z\d]+/g) ?? []

export const nameOf = (path: string): string =>
  (path.replace(/\/+$/, '').split('/').at(-1) ?? '').toLowerCase()

/** As a word of its own: `a.ts` is not in `data.tsv`. */
export const stands = (text: string, part: string): boolean =>
  placesOf(part, text).some(
    (at) => !/[\w./-]/.test(text[at - 1] ?? ' ') && !/^(?:\w|[./-]\w)/.test(text.slice(at + part.length)),
  )

/** By a word of its name, as "the report" names report_may.csv. */
export const isNamed = (path: string, clause: string): boolean => {
  const words = clause.toLowerCase().match(/[a-z\d]+/g) ?? []
  const parts =
    nameOf(path)
      .replace(/\.\w+$/, '')
      .match(/[a-z\d]+/g) ?? []
  return parts.some((part) => words.some((word) => isSameRoot(word, part)))
}

/** `listing` and `listings`, `config` and `configuration`. */
export const isSameRoot = (one: string, other: string): boolean =>
  one === other ||
  (Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one)))

/** Stands for where a copy or a move goes. */
export const TARGET = '…'

/** What is said besides where a copy or a move goes: `bugs` in "copy the template to bugs/open" names no source. */
export const withoutTarget = ({ name, input }: NanoCall, clause: string): string => {
  const { to } = input
  if (!['copy_file', 'move_file'].includes(name) || typeof to !== 'string') return clause
  const at = clause.toLowerCase().lastIndexOf(to.toLowerCase().replace(/\/+$/, ''))
  return at > 0 ? `${clause.slice(0, at)} ${TARGET} ${clause.slice(at + to.length)}` : clause
}

/** What is said besides the text that is to be written. */
export const contentless = ({ input: { content } }: NanoCall, clause: string): string =>
  typeof content === 'string' && content !== '' ? clause.replace(content, ' … ') : clause
