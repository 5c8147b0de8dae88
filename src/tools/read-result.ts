/** A stored result, a page at a time, or only the lines of it that match. */
import { z } from 'zod'
import { AppError, errorMessage } from '../protocol/error.ts'
import { defineTool, type ToolContext } from '../protocol/tool.ts'
import { compileTest } from '../lib/regex/search.ts'
import { resultLines } from '../lib/result-lines.ts'
import { clip } from '../lib/text.ts'
import { pageText, requireLine, toListText, toPage } from './page.ts'

export const readResultTool = defineTool({
  name: 'read_result',
  description: 'Read a stored result',
  category: 'read',
  input: z.object({
    id: z.string(),
    from: z.int().positive().default(1),
    pattern: z.string().optional(),
  }),
  paged: true,

  async run({ id, from, pattern }, context) {
    const text = await context.results.read(id)
    if (text === undefined) {
      throw new AppError('tool-failed', `There is no result ${id}; list_results shows those that are kept.`, {
        failure: 'bad-arguments',
      })
    }
    const lines = resultLines(text)
    requireLine(from, lines.length, id)
    if (pattern) return matching(lines, { id, from, pattern }, context)
    return pageText(toPage(lines, from, context), { from, total: lines.length })
  },
})

type Wanted = { readonly id: string; readonly from: number; readonly pattern: string }

/** As search_text does: a regular expression, else plain text; upper and lower case count only where that finds something. */
function matching(lines: readonly string[], { id, from, pattern }: Wanted, context: ToolContext): string {
  const find = (ignoreCase: boolean): readonly string[] => {
    const fits = toTest(pattern, ignoreCase)
    return lines.flatMap((line, at) => (at + 1 >= from && fits(line) ? [`${at + 1}: ${line}`] : []))
  }
  const exact = find(false)
  const found = exact.length > 0 ? exact : find(true)
  if (found.length === 0) return `No matches for "${clip(pattern, 80)}" in ${id} (${lines.length} lines).`
  return toListText(found, 'use a narrower pattern, or a higher from', context)
}

/** Never by JavaScript's own engine: a pattern such as `(a+)+b` would keep it busy for ever. */
function toTest(pattern: string, ignoreCase: boolean): (line: string) => boolean {
  if (!isRegex(pattern)) {
    const plain = pattern.toLowerCase()
    return (line) => (ignoreCase ? line.toLowerCase().includes(plain) : line.includes(pattern))
  }
  try {
    return compileTest(pattern, ignoreCase)
  } catch (error) {
    throw new AppError('tool-failed', `${errorMessage(error)} Use a simpler pattern or plain text.`, {
      failure: 'bad-arguments',
    })
  }
}

function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
