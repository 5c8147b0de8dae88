/**
 * A whole file. What exists is not replaced by accident: that takes `overwrite` and having read it, or the file is one this
 * session made itself, or it has exactly this content already.
 */
import { posix } from 'node:path'
import { z } from 'zod'
import {
  type CheckContext,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../protocol/tool.ts'
import { unescaped, withoutFence } from '../lib/disguise.ts'
import { elisionsIn } from '../lib/elision.ts'
import { clip, lineEndOf, plural, toLines, withLineEnd } from '../lib/text.ts'
import { checkChanges, type Checks } from './checks.ts'
import type { ReadParts } from './read-file.ts'

export type WriteParts = {
  readonly checks: Checks
  /** Paths this session made; it may replace them freely. */
  readonly created: Set<string>
} & ReadParts

const input = z.object({
  path: z.string(),
  content: z.string(),
  overwrite: z.boolean().default(false),
  append: z.boolean().default(false),
})

/** Where files are always written whole, replacing one needs no word of its own. */
const wholeInput = z
  .object({ path: z.string(), content: z.string(), append: z.boolean().default(false) })
  .transform((call) => ({ ...call, overwrite: true, because: 'whole' as const }))

/** A longer file is changed in parts: small models lose lines of it. */
const MAX_WHOLE = 200

export const createWriteFile = (parts: WriteParts): Tool =>
  defineTool({
    name: 'write_file',
    description: 'Create a file; append: true adds to the end, overwrite: true replaces it',
    category: 'write',
    input,
    forms: {
      whole: {
        description: 'Write a whole file, new or changed; append: true adds to the end',
        input: wholeInput,
      },
    },
    paths: ['path'],
    creates: true,
    timeoutMs: 300_000,
    access: ({ path }) => [{ kind: 'write', target: path }],

    async check(given, context) {
      const call = asMeant(given)
      const before = await currentText(call.path, context)
      const refused = refusal(before, call, parts)
      if (refused) return { ok: false, why: refused.text }
      return checkChanges([{ path: call.path, before, after: textAfter(before, call) }])
    },
    run: (call, context) => write(asMeant(call), parts, context),
  })

type Call = z.infer<typeof input> & {
  /** whole: the arm writes files in no other form · freed: edits kept missing, so the file may be written anew */
  readonly because?: 'whole' | 'freed'
}

/** Where a fence or an escaped line end may be what the file is about. */
const ABOUT_MARKUP = /\.(?:mdx?|markdown|rst|adoc|txt|json[lc5]?|csv|tsv|svg|log)$/i

/** Without the fence around a whole file; with real line ends where it has none and ends in an escaped one. */
function asMeant<Given extends Call>(call: Given): Given {
  if (ABOUT_MARKUP.test(call.path)) return call
  const body = withoutFence(call.content) ?? call.content
  const content = !body.includes('\n') && body.endsWith('\\n') ? (unescaped(body) ?? body) : body
  return content === call.content ? call : { ...call, content }
}

async function write(call: Call, parts: WriteParts, context: ToolContext): Promise<ToolResult> {
  const { path, content, append } = call
  const { checks, created } = parts
  const before = await currentText(path, context)
  if (before === content && !append) return { ok: true, text: `${path} already has exactly this content.` }
  const refused = refusal(before, call, parts)
  if (refused) return refused

  const after = textAfter(before, call)
  await context.files.write(path, after)
  if (before === undefined) created.add(posix.normalize(path))
  const remarks = await checks([{ path, before, after }], context)
  return { ok: true, text: summary(call, before, after) + remarks, changed: [path] }
}

async function currentText(path: string, { files, signal }: CheckContext): Promise<string | undefined> {
  return (await files.info(path)) ? files.read(path, signal) : undefined
}

/** Why a file that exists is not replaced. */
function refusal(
  before: string | undefined,
  call: Call,
  { created, seen }: WriteParts,
): ToolResult | undefined {
  const { path, content, append, overwrite, because } = call
  if (!before || before === content || append) return undefined
  const name = posix.normalize(path)
  const isOwn = created.has(name)
  if (!isOwn && !overwrite) return inTheWay(path, before)
  if (because === 'whole' && !isOwn && toLines(before).length > MAX_WHOLE) return tooLong(path, before)
  const elided = elisionsIn(content, before)
  const isShorter = toLines(content).length < toLines(before).length
  if (elided.length > 0 && isShorter) return leavesOut(path, elided)
  return isOwn || because === 'freed' || seen.has(name) ? undefined : unseen(path, before)
}

const leavesOut = (path: string, [mark = '']: readonly string[]): ToolResult => ({
  ok: false,
  code: 'bad-arguments',
  text:
    `Nothing was written: ${JSON.stringify(clip(mark.trim(), 60))} would replace the rest of ${path}. ` +
    'Change the lines you mean with edit_file, or write the whole file.',
})

const tooLong = (path: string, before: string): ToolResult => ({
  ok: false,
  code: 'failed',
  text:
    `Nothing was written: ${path} has ${plural(toLines(before).length, 'line')}, too many to write again. ` +
    'Change a part of it with edit_file {"path", "old", "new"}: old is the exact text to replace.',
})

const unseen = (path: string, before: string): ToolResult => ({
  ok: false,
  code: 'failed',
  text: `Nothing was written: ${path} has ${plural(toLines(before).length, 'line')} that were not read yet. Read it with read_file, then replace it.`,
})

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
  if (append) return `Appended to ${path} (now ${lines}).`
  return `Replaced ${path} (was ${plural(toLines(before).length, 'line')}, now ${lines}).`
}
