/** A text file in numbered lines, a page at a time. The first page of a long file says what the rest defines. */
import { z } from 'zod'
import { defineTool, type ToolContext } from '../protocol/tool.ts'
import { outlineOf } from '../lib/syntax.ts'
import { toLines } from '../lib/text.ts'
import { type Page, pageText, requireLine, toPage } from './page.ts'

export const readFileTool = defineTool({
  name: 'read_file',
  description: 'Read a file',
  category: 'read',
  input: z.object({ path: z.string(), from: z.int().positive().default(1) }),
  paths: ['path'],
  paged: true,
  access: ({ path }) => [{ kind: 'read', target: path }],

  async check({ path, from }, { files, signal }) {
    const lines = toLines(await files.read(path, signal))
    if (lines.length > 0) requireLine(from, lines.length, path)
    return { ok: true }
  },

  async run({ path, from }, context) {
    const text = await context.files.read(path, context.signal)
    const lines = toLines(text)
    if (lines.length === 0) return `${path} is empty.`
    requireLine(from, lines.length, path)
    const numbered = lines.map((line, index) => `${index + 1}\t${line}`)
    const page = toPage(numbered, from, context)
    if (page.next === undefined || from > 1) return pageText(page, { from, total: lines.length })
    return firstPage({ path, text, numbered }, page, context)
  },
})

type Source = { readonly path: string; readonly text: string; readonly numbered: readonly string[] }

/** The outline takes its room from the page, so that both together still fit. */
async function firstPage(
  { path, text, numbered }: Source,
  page: Page,
  context: ToolContext,
): Promise<string> {
  const total = numbered.length
  const outline = await outlineOf(path, text)
  const room = Math.floor(context.pageTokens * OUTLINE_SHARE)
  const { lines } = toPage(
    outline
      .filter(({ line }) => line >= (page.next ?? 1))
      .map(({ line, text: start }) => `${line}\t${start}`),
    1,
    { ...context, pageTokens: room },
  )
  if (lines.length === 0) return pageText(page, { from: 1, total })
  const shorter = toPage(numbered, 1, { ...context, pageTokens: context.pageTokens - room })
  return `${pageText(shorter, { from: 1, total })}\n[further down]\n${lines.join('\n')}`
}

const OUTLINE_SHARE = 0.2
