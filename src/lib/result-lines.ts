/** A stored result as lines that can be paged through: an endless line is several, so that no page is too small for one. */
import type { Omitted } from './fold.ts'
import { toLines } from './text.ts'

const MAX_LINE = 1000
const PIECES = new RegExp(`[^]{1,${MAX_LINE}}`, 'gu')

export const resultLines = (text: string): readonly string[] =>
  toLines(text).flatMap((line) => line.match(PIECES) ?? [line])

/** Says which lines of a stored result were left out, and the call that shows them. */
export function leftOutText({ before, text }: Omitted, id: string): string {
  const isCutInside = before !== '' && !before.endsWith('\n')
  const from = resultLines(before).length + (isCutInside ? 0 : 1)
  const to = Math.max(from, resultLines(before + text).length)
  return `[lines ${Math.max(1, from)}-${to} left out: read_result {"id":"${id}","from":${Math.max(1, from)}}]`
}
