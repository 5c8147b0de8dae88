/**
 * A contiguous piece of a long text, sized in the tokens this run's window has for it. What is left out, and how to get
 * it, is said in one last line; a text that fits has none.
 */
import { AppError } from '../protocol/error.ts'
import type { ToolContext } from '../protocol/tool.ts'
import { plural } from '../lib/text.ts'
import { FOOTER_TOKENS } from '../protocol/token-limits.ts'

export type PageSize = Pick<ToolContext, 'pageTokens' | 'countTokens'>

export type Page = {
  readonly lines: readonly string[]
  /** The first line that did not fit, counted from 1; absent at the end. */
  readonly next?: number
}

export function toPage(lines: readonly string[], from: number, size: PageSize): Page {
  const budget = Math.max(1, size.pageTokens - FOOTER_TOKENS)
  const shown: string[] = []
  let used = 0
  for (const line of lines.slice(from - 1)) {
    const cost = size.countTokens(`${line}\n`)
    if (used + cost > budget) break
    used += cost
    shown.push(line)
  }
  const rest = lines.slice(from - 1 + shown.length)
  if (shown.length > 0 && isLittle(rest, Math.floor(budget * LITTLE), size)) shown.push(...rest)
  const [first] = lines.slice(from - 1)
  if (shown.length === 0 && first !== undefined) shown.push(cutLine(first, budget, size))
  const next = from + shown.length
  return { lines: shown, ...(next <= lines.length && { next }) }
}

/** What is left after a page is shown with it where it is less than this share of one: another call would cost more. */
const LITTLE = 0.15

function isLittle(rest: readonly string[], room: number, { countTokens }: PageSize): boolean {
  let used = 0
  for (const line of rest) {
    used += countTokens(`${line}\n`)
    if (used > room) return false
  }
  return true
}

/** Page and last line as the model reads them. */
export function pageText({ lines, next }: Page, { from, total }: { from: number; total: number }): string {
  const last = from + lines.length - 1
  if (next !== undefined) {
    return [...lines, `[lines ${from}-${last} of ${total}; go on with from=${next}]`].join('\n')
  }
  return from === 1 ? lines.join('\n') : [...lines, `[end, ${plural(total, 'line')}]`].join('\n')
}

/** A list that cannot be paged: as much as fits, and what to ask for instead of the rest. */
export function toListText(lines: readonly string[], hint: string, size: PageSize): string {
  const page = toPage(lines, 1, size)
  const rest = lines.length - page.lines.length
  return rest > 0 ? [...page.lines, `[and ${rest} more; ${hint}]`].join('\n') : page.lines.join('\n')
}

export function requireLine(from: number, total: number, name: string): void {
  if (from <= Math.max(1, total)) return
  throw new AppError('tool-failed', `${name} has only ${plural(total, 'line')}; ask for a lower \`from\`.`, {
    failure: 'bad-arguments',
  })
}

/** A line that fills more than a page: its beginning, and the truth about the rest. */
function cutLine(line: string, budget: number, { countTokens }: PageSize): string {
  const mark = ` [… line cut, it has ${line.length} characters]`
  let length = Math.min(line.length, budget * 4)
  while (length > 1 && countTokens(line.slice(0, length) + mark) > budget) length = Math.floor(length / 1.5)
  return line.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') + mark
}
