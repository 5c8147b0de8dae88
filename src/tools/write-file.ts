/**
 * A whole file. What exists is not replaced by accident: that takes `overwrite`, or the file is one this session made
 * itself, or it has exactly this content already.
 */
import { z } from 'zod'
import {
  type CheckContext,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../protocol/tool.ts'
import { lineEndOf, plural, toLines, withLineEnd } from '../lib/text.ts'
import { checkChanges, type Checks } from './checks.ts'

export type WriteParts = {
  readonly checks: Checks
  /** Paths this session made; it may replace them freely. */
  readonly created: Set<string>
}

const input = z.object({
  path: z.string(),
  content: z.string(),
  overwrite: z.boolean().default(false),
  append: z.boolean().default(false),
})

export const createWriteFile = (parts: WriteParts): Tool =>
  defineTool({
    name: 'write_file',
    // One word more and this tool alone would break the limit of 60 tokens.
    description: 'Create',
    category: 'write',
    input,
    paths: ['path'],
    creates: true,
    timeoutMs: 300_000,
    access: ({ path }) => [{ kind: 'write', target: path }],

    async check(call, context) {
      const before = await currentText(call.path, context)
      if (isInTheWay(before, call, parts)) return { ok: false, why: inTheWay(call.path, before).text }
      return checkChanges([{ path: call.path, before, after: textAfter(before, call) }])
    },
    run: (call, context) => write(call, parts, context),
  })

type Call = z.infer<typeof input>

async function write(call: Call, parts: WriteParts, context: ToolContext): Promise<ToolResult> {
  const { path, content, append } = call
  const { checks, created } = parts
  const before = await currentText(path, context)
  if (before === content && !append) return { ok: true, text: `${path} already has exactly this content.` }
  if (isInTheWay(before, call, parts)) return inTheWay(path, before)

  const after = textAfter(before, call)
  await context.files.write(path, after)
  if (before === undefined) created.add(path)
  const remarks = await checks([{ path, before, after }], context)
  return { ok: true, text: summary(call, before, after) + remarks, changed: [path] }
}

async function currentText(path: string, { files, signal }: CheckContext): Promise<string | undefined> {
  return (await files.info(path)) ? files.read(path, signal) : undefined
}

const isInTheWay = (
  before: string | undefined,
  { path, content, append, overwrite }: Call,
  { created }: WriteParts,
): before is string => Boolean(before) && before !== content && !append && !overwrite && !created.has(path)

const textAfter = (before = '', { content, append }: Call): string =>
  append ? joined(before, content) : inStyleOf(before, content)

const inTheWay = (path: string, before: string): ToolResult => ({
  ok: false,
  code: 'failed',
  text:
    `${path} exists (${plural(toLines(before).length, 'line')}). Change a part of it with edit_file, ` +
    'or replace all of it with overwrite: true.',
})

/** A file that ends in the middle of a line gets its line end first: appended text begins a line. */
function joined(before: string, content: string): string {
  const gap = before === '' || before.endsWith('\n') || content.startsWith('\n') ? '' : '\n'
  return before + inStyleOf(before, gap + content)
}

const inStyleOf = (before: string, text: string): string =>
  lineEndOf(before) === '\r\n' ? withLineEnd(text, '\r\n') : text

function summary({ path, append }: Call, before: string | undefined, after: string): string {
  const lines = plural(toLines(after).length, 'line')
  if (before === undefined) return `Created ${path} (${lines}).`
  return append ? `Appended to ${path} (now ${lines}).` : `Replaced ${path} (now ${lines}).`
}
