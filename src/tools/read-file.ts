/** A text file in numbered lines, a page at a time. The first page of a long file says what the rest defines. */
import { posix } from 'node:path'
import { z } from 'zod'
import { defineTool, type Tool, type ToolContext } from '../protocol/tool.ts'
import { hashedLine } from '../lib/line-hash.ts'
import { outlineOf } from '../lib/syntax.ts'
import { toLines } from '../lib/text.ts'
import { type Page, pageText, requireLine, toPage } from './page.ts'

export type ReadParts = {
  /** Paths this session has read: what was never seen is not replaced whole. */
  readonly seen: Set<string>
}

export const createReadFile = ({ seen }: ReadParts): Tool =>
  defineTool({
    name: 'read_file',
    description: 'Read a file, lines from-to',
    category: 'read',
    input: z.object({
      path: z.string(),
      from: z.int().positive().default(1),
      to: z.int().positive().optional(),
    }),
    paths: ['path'],
    paged: true,
    access: ({ path }) => [{ kind: 'read', target: path }],

    async check({ path, from }, { files, signal }) {
      const lines = toLines(await files.read(path, signal))
      if (lines.length > 0) requireLine(from, lines.length, path)
      return { ok: true }
    },

    async run({ path, from, to }, context) {
      const text = await context.files.read(path, context.signal)
      seen.add(posix.normalize(path))
      const lines = toLines(text)
      if (lines.length === 0) return `${path} is empty.`
      requireLine(from, lines.length, path)
      const show = context.editForm === 'lines' ? hashedLine : numberedLine
      const numbered = lines.map((line, index) => show(line, index + 1))
      if (to !== undefined && to < lines.length) return readRange(numbered, { from, to }, context)
      const page = toPage(numbered, from, context)
      if (page.next === undefined || from > 1) return pageText(page, { from, total: lines.length })
      return firstPage({ path, text, numbered }, page, context)
    },
  })

const numberedLine = (line: string, number: number): string => `${number}\t${line}`

type Range = { readonly from: number; readonly to: number }

/** A range that runs backwards is taken as one line: some models write a count in its place. */
function readRange(numbered: readonly string[], { from, to }: Range, context: ToolContext): string {
  const last = Math.max(from, to)
  const page = toPage(numbered.slice(0, last), from, context)
  const total = numbered.length
  return pageText({ lines: page.lines, next: page.next ?? last + 1 }, { from, total })
}

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
