/**
 * Line numbers that a model copied along with the lines: `41<tab>text` as read_file prints them, `41: text` and
 * `src/a.ts:41: text` as a search does, `00041| text` as other agents do.
 */
const NUMBERED = /^[ \t]*(?:[\w./-]+:)?L?(\d{1,7})(?:\t|: ?|[ \t]*\|[ \t]?|→)/

/** The text without the numbers in front of its lines; undefined where its lines are not numbered one after the other. */
export function withoutLineNumbers(text: string): string | undefined {
  const lines = text.split('\n')
  const solid = lines.filter((line) => line.trim() !== '')
  const numbers = solid.map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN))
  const isCounted = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))
  if (solid.length === 0 || numbers.some(Number.isNaN) || !isCounted) return undefined
  return lines.map((line) => line.replace(NUMBERED, '')).join('\n')
}
