/** Several lines that are to be written, said in a row: "with two lines, 'a' and 'b'", "having x and y on two lines". Pure. */

const COUNT = 'two|three|four|five|six|[2-6]'
const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 }
const LINES = new RegExp(
  String.raw`\b(?:(?<count>${COUNT}) )?(?:[a-z]+ )?(?:lines|rows|entries|items|bullets|headings|points)\b(?:\s+(?:in it|to|in|into|at)\b[^:"'“]{0,60}(?=[:"'“]))?` +
    String.raw`[\s:,]*(?:(?:saying|reading|that say|for me|namely|with)\s*[:,]?\s*)?(?<rest>[^\n]+)$`,
  'i',
)
const ON_LINES = new RegExp(
  String.raw`\b(?:with|having|containing|saying|of)\s+(?<rest>[^\n]+?),? (?:on|in) (?<count>${COUNT}|separate|different) (?:separate )?lines\b`,
  'i',
)
const EACH =
  /:\s+(?<rest>[^\n:]+?),? (?:a line each|one line each|one per line|each on (?:its|a) own line|each on a line)\b/i
const ITEM =
  /^[\s,;&]*(?:(?:and|then|plus)\s+)?(?:"(?<a>[^"\n]+)"|“(?<b>[^”\n]+)”|`(?<c>[^`\n]+)`|'(?<d>[^'\n]+)'(?!\p{L}))/iu

/** All of them, one under the other; nothing where it is not clear how many they are. */
export function listedTexts(clause: string): string | undefined {
  const found = EACH.exec(clause) ?? ON_LINES.exec(clause) ?? LINES.exec(clause)
  const { rest = '', count } = (found?.groups ?? {}) as Partial<Record<'rest' | 'count', string>>
  const wanted =
    count === undefined ? undefined : (COUNTS[count.toLowerCase()] ?? (Number(count) || undefined))
  const quoted = quotedIn(rest)
  const isEach = found !== null && EACH.test(clause)
  const items = quoted.length > 0 ? quoted : wanted === undefined && !isEach ? [] : plainIn(rest)
  const isAll = wanted === undefined ? items.length > 1 : items.length === wanted
  return isAll && items.every(isWhole) ? items.join('\n') : undefined
}

/** Not with a mark or a word of the sentence around it: `first "a"`. */
const isWhole = (item: string): boolean => item !== '' && !/^(?:the )?(?:first|second|third)\b/i.test(item)

/** One behind the other, with nothing but a joining word between them. */
function quotedIn(text: string): string[] {
  const { 0: all = '', groups: { a, b, c, d } = {} } = ITEM.exec(text) ?? {}
  return all === '' ? [] : [a ?? b ?? c ?? d ?? '', ...quotedIn(text.slice(all.length))]
}

const plainIn = (text: string): string[] =>
  text
    .replace(/[.!]\s*$/, '')
    .split(/\s*,\s+(?:and\s+)?|\s+and\s+/)
    .map((item) => item.trim())
