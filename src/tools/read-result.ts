import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { defineTool } from '../protocol/tool.ts'
import { toLines } from '../lib/text.ts'
import { pageText, requireLine, toPage } from './page.ts'

/** One endless line could not be paged through; pieces of it can. */
const MAX_LINE = 1000

export const readResultTool = defineTool({
  name: 'read_result',
  description: 'Read a stored result',
  category: 'read',
  input: z.object({ id: z.string(), from: z.int().positive().default(1) }),
  paged: true,

  async run({ id, from }, context) {
    const text = await context.results.read(id)
    if (text === undefined) {
      throw new AppError('tool-failed', `There is no result ${id}; list_results shows those that are kept.`, {
        failure: 'bad-arguments',
      })
    }
    const lines = toLines(text).flatMap((line) => line.match(PIECES) ?? [line])
    requireLine(from, lines.length, id)
    return pageText(toPage(lines, from, context), { from, total: lines.length })
  },
})

const PIECES = new RegExp(`[^]{1,${MAX_LINE}}`, 'gu')
