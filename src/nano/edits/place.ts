/** Signs of where a line stands: first or last in its file, under which number, and in a file that is set apart from another. Pure. */
import { numberWords } from '../request/words.ts'
import { wordsIn } from '../opinion/tokens.ts'

const FIRST =
  /\b(?:first|top|opening|1st) (?:\w+ )?(?:line|row|entry|item|bullet|point|heading|sentence)\b|\b(?:title|heading|headline)\b/i
const LAST = /\b(?:last|bottom|final|closing) (?:\w+ )?(?:line|row|entry|item|bullet|point|sentence)\b/i

type Line = {
  readonly number: number
  readonly text: string
  readonly isFirst: boolean
  readonly isLast: boolean
}

type Numbered = { readonly what: string; readonly number: number }

/** Of a clause, for all lines. */
export function placesIn(clause: string): (line: Line) => string[] {
  const isFirst = FIRST.test(clause)
  const isLast = LAST.test(clause)
  const numbered = numberedIn(clause)
  return (line) => {
    const item = Number(/^(?:[-*] )?(\d+)[.):]/.exec(line.text)?.[1] ?? NaN)
    return [
      ...(line.isFirst && isFirst ? ['first-said'] : []),
      ...(line.isLast && isLast ? ['last-said'] : []),
      ...(numbered.some(({ what, number }) => ['line', 'row'].includes(what) && number === line.number)
        ? ['number-said']
        : []),
      ...(numbered.some(({ what, number }) => what !== 'line' && number === item) ? ['item-said'] : []),
    ]
  }
}

const numberedIn = (clause: string): Numbered[] =>
  [
    ...clause.matchAll(
      /\b(line|row|item|question|point|step|number|no\.?|task|rule|entry|#)\s*([a-z]+|\d{1,4})\b/gi,
    ),
  ].map(([, what = '', number = '']) => ({
    what: what.toLowerCase(),
    number: numberWords.get(number.toLowerCase()) ?? Number(number),
  }))

/** What sets a path apart from the one that is meant when nothing is said. */
const APART =
  /^(?:old|archive|archived|backup|bak|draft|drafts|test|tests|example|sample|copy|template|templates|legacy|previous|staging|dev|prod|production|local|(?:19|20)\d\d)$/

const DENIED =
  /\b(?:not|isn'?t|never|leave|except|without|rather than|instead of)\s+(?:(?:the|in|that|my|our|for)\s+)*$/i

/** "The normal one, not the january draft", "on the current list, not 2024". */
export function apartSigns(clause: string, path: string, latest: number): string[] {
  const marks = wordsIn(path).filter((word) => APART.test(word))
  const years = marks.map(Number).filter((year) => year > 0)
  const age = years.length === 0 ? 'none' : Math.max(...years) === latest ? 'latest' : 'older'
  if (marks.length === 0) return ['apart:none']
  const said = clause.toLowerCase()
  const states = marks.map((mark) => {
    const at = said.search(new RegExp(String.raw`(?<![\p{L}\p{N}])${mark.replace(/s$/, '')}`, 'u'))
    return at < 0 ? 'unsaid' : isDenied(said, at) ? 'denied' : 'said'
  })
  const [, year] = YEAR.exec(said) ?? []
  return [
    ...[...new Set(states)].flatMap((state) => [`apart:${state}`, `apart:${state} year:${age}`]),
    ...(year === undefined ? [] : [`year-said:${year} ${age}`]),
  ]
}

/** Of the years that paths are named for. */
export const latestYear = (paths: Iterable<string>): number =>
  Math.max(0, ...Array.from(paths, (path) => Number(/(?<!\d)20\d\d(?!\d)/.exec(path)?.[0] ?? 0)))

const YEAR = /\b(this|current|last|previous|next) year/

const isDenied = (said: string, at: number): boolean =>
  DENIED.test(said.slice(0, at)) || /\bnot (?:\w+ ){0,3}$/.test(said.slice(0, at))
