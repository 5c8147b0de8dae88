/** Dates as a request says them and as names of files have them: `17 April` is 2025-04-17. Pure. */

export type DateSaid = { readonly day?: number; readonly month?: number; readonly year?: number }

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
const DAY = String.raw`(?<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?`
const YEAR = String.raw`(?<year>(?:19|20)\d\d)`

/** Longest first: what one has taken is not read again. */
const SAID = [
  String.raw`\b${YEAR}[-/.](?<month>0[1-9]|1[0-2])(?:[-/.](?<day>0[1-9]|[12]\d|3[01]))?\b`,
  String.raw`\b${DAY}(?:\s+of)?\s+${MONTH}\b(?:,?\s+${YEAR})?`,
  String.raw`\b${MONTH}\s+(?:the\s+)?${DAY}\b(?!\s*(?:lines?|rows?))(?:,?\s+${YEAR})?`,
  String.raw`\b${MONTH}\b(?:,?\s+${YEAR})?`,
  String.raw`\bthe (?<day>[12]\d|3[01]|[1-9])(?:st|nd|rd|th)\b`,
  String.raw`(?<![\w.-])${YEAR}(?![\w-])`,
].map((source) => new RegExp(source, 'gi'))

/** Where in the text it stands. */
export type DatePlace = DateSaid & { readonly at: number; readonly end: number }

/** The dates of a text, and the text without them. */
export function datesSaid(text: string): { readonly dates: readonly DatePlace[]; readonly rest: string } {
  let rest = text
  const dates = SAID.flatMap((form) => {
    const found = Array.from(rest.matchAll(form)).filter(({ 0: all, index }) => isMonth(all, rest, index))
    for (const { 0: all, index } of found)
      rest = rest.slice(0, index) + ' '.repeat(all.length) + rest.slice(index + all.length)
    return found.map(({ 0: all, index: at, groups = {} }) => ({
      ...dateFrom(groups),
      at,
      end: at + all.length,
    }))
  })
  return { dates, rest }
}

export const datesIn = (text: string): readonly DatePlace[] => datesSaid(text).dates

/** "May I" and "march on" are no months; in the middle of a sentence a month has a capital, or a word before it that says so. */
const isMonth = (all: string, text: string, at: number): boolean =>
  !/^(?:may|march|mar|sep|dec|jan)$/i.test(all) ||
  (/^[A-Z]/.test(all) && at > 0 && !/^[A-Z ]+$/.test(text.slice(0, at))) ||
  /\b(?:in|from|of|for|the|this|last|since|until|by|and)\s+$/i.test(text.slice(0, at))

const dateFrom = ({ day, month, year }: Readonly<Record<string, string | undefined>>): DateSaid => ({
  ...(day !== undefined && { day: Number(day) }),
  ...(month !== undefined && { month: monthOf(month) }),
  ...(year !== undefined && { year: Number(year) }),
})

const monthOf = (text: string): number =>
  /^\d/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1

/** The last one in a path, with what the folders above say: `logs/2024-05-13/app.log`, `2025/april.md`. */
export function dateOf(path: string): DateSaid {
  const [full] = Array.from(path.matchAll(IN_PATH)).toReversed()
  const [month] = Array.from(path.toLowerCase().matchAll(NAMED)).toReversed()
  const year = /(?<!\d)(?:19|20)\d\d(?!\d)/.exec(path)?.[0]
  if (full?.groups) return dateFrom(full.groups)
  return dateFrom({ month: month?.[1], year })
}

const IN_PATH =
  /(?<!\d)(?<year>(?:19|20)\d\d)[-_/.]?(?<month>0[1-9]|1[0-2])(?:[-_/.]?(?<day>0[1-9]|[12]\d|3[01]))?(?!\d)/g
const NAMED =
  /(?<![a-z])(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?![a-z])/g
