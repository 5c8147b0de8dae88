/**
 * One replacement in a file. Where to replace is found even when the quote is a little off, never guessed; a miss shows
 * the text that is there instead, so that the next try can be right.
 */
import { posix } from 'node:path'
import { z } from 'zod'
import {
  type CheckResult,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../protocol/tool.ts'
import { changedLines, toDiffText } from '../lib/diff.ts'
import { type Edited, editText } from '../lib/edit-text.ts'
import { findMatch, type Match } from '../lib/match.ts'
import { clip, lineAt, plural, toLines } from '../lib/text.ts'
import type { Slip } from '../lib/three-way.ts'
import { checkChanges, type Checks } from './checks.ts'
import { editLines, type LinesCall, linesInput, namedLines } from './edit-lines.ts'
import type { WriteParts } from './write-file.ts'

const input = z.object({
  path: z.string(),
  old: z.string(),
  new: z.string(),
  all: z.boolean().default(false),
})

export const createEditFile = ({ checks, seen }: Pick<WriteParts, 'checks' | 'seen'>): Tool =>
  defineTool({
    name: 'edit_file',
    description: 'Replace the exact text old by new, once; all: true everywhere',
    category: 'write',
    input,
    forms: {
      whole: 'hidden',
      lines: {
        description: 'Replace the lines from-to, named as read_file shows them (12ab), by new',
        input: linesInput,
      },
    },
    paths: ['path'],
    timeoutMs: 300_000,
    access: ({ path }) => [{ kind: 'write', target: path }],

    async check(call, { files, signal }) {
      const lines = linesInput.safeParse(call)
      if (lines.success) return checkLines(lines.data, await files.read(call.path, signal))
      const useless = refuseUseless(call)
      if (useless) return { ok: false, why: useless.text }
      const before = await files.read(call.path, signal)
      const edited = editText(before, call)
      if (!edited.ok) return { ok: false, why: miss(call, before, edited).text }
      return checkChanges([{ path: call.path, before, after: edited.text }])
    },

    async run(call, context) {
      const lines = linesInput.safeParse(call)
      if (lines.success) return replaceLines(lines.data, checks, context)
      const useless = refuseUseless(call)
      if (useless) return useless
      const { path } = call
      const before = await context.files.read(path, context.signal)
      const edited = editText(before, call)
      if (!edited.ok) {
        // The model is shown the lines it missed; after several misses it may write the file whole.
        seen.add(posix.normalize(path))
        return miss(call, before, edited)
      }
      if (edited.text === before) return unchanged(path, before, edited)
      await context.files.write(path, edited.text)
      const remarks = await checks([{ path, before, after: edited.text }], context)
      return { ok: true, text: summary(path, before, edited) + remarks, changed: [path] }
    },
  })

function checkLines(call: LinesCall, before: string): CheckResult | Promise<CheckResult> {
  const edited = editLines(before, call)
  return edited.ok
    ? checkChanges([{ path: call.path, before, after: edited.text }])
    : { ok: false, why: edited.why }
}

async function replaceLines(call: LinesCall, checks: Checks, context: ToolContext): Promise<ToolResult> {
  const { path } = call
  const before = await context.files.read(path, context.signal)
  const edited = editLines(before, call)
  if (!edited.ok) return fail(edited.code, edited.why)
  if (edited.text === before)
    return fail('no-match', `Nothing was changed: ${path} already reads like new there.`)
  await context.files.write(path, edited.text)
  const remarks = await checks([{ path, before, after: edited.text }], context)
  const { from, added } = edited
  const shown = namedLines(toLines(edited.text), from - 1, from + Math.min(added, MAX_SHOWN))
  const what = added === 0 ? 'lines removed' : `now has ${plural(added, 'new line')}`
  return {
    ok: true,
    text: [`Edited ${path}: ${what} at ${from}`, ...shown].join('\n') + remarks,
    changed: [path],
  }
}

type Call = z.infer<typeof input>
type Done = Extract<Edited, { ok: true }>
type Failed = Exclude<Edited, { ok: true }>

function refuseUseless({ old, new: replacement }: Call): ToolResult | undefined {
  if (old.trim() === '') {
    return fail(
      'bad-arguments',
      'old is empty: quote the lines to replace, or add text with write_file and append: true.',
    )
  }
  return old === replacement
    ? fail('no-match', 'old and new are the same: there is nothing to change.')
    : undefined
}

const fail = (code: 'bad-arguments' | 'no-match', text: string): ToolResult => ({ ok: false, code, text })

const DIFF_LINES = 12

function summary(path: string, before: string, edited: Done): string {
  const change = changedLines(before, edited.text)
  const how = HOW[edited.how]
  const places = edited.pieces.length > 1 ? ` in ${edited.pieces.length} places` : ''
  if (!change) return `Edited ${path}${places}: line ends only${how}`
  const last = change.from + Math.max(1, change.added.length) - 1
  const lines = last > change.from ? `lines ${change.from}-${last}` : `line ${change.from}`
  return `Edited ${path}${places}: ${lines}${how}\n${toDiffText(change, DIFF_LINES)}`
}

const HOW = {
  exact: '',
  folded: ' (old differed in white space or quotes)',
  similar: ' (lines of old that stay were kept as the file has them)',
} as const

const unchanged = (path: string, before: string, { pieces: [piece] }: Done): ToolResult => {
  const from = lineAt(before, piece?.start ?? 0)
  const to = lineAt(before, piece?.end ?? 0)
  return fail(
    'no-match',
    `Nothing was changed: ${path} already reads like new there.\n${numbered(before, { from, to })}`,
  )
}

function miss(call: Call, before: string, failed: Failed): ToolResult {
  if ('elided' in failed) return missElided(failed.elided)
  if ('slip' in failed) return missSlip(call, failed.slip, lineAt(before, failed.start))
  const { match } = failed
  return match.kind === 'many' ? missMany(call, before, match) : missNone(call, before, match)
}

const missElided = ([mark = '...']: readonly string[]): ToolResult =>
  fail(
    'bad-arguments',
    `Nothing was changed: new holds ${JSON.stringify(clip(mark.trim(), 60))} in place of text. Write out every line, or quote fewer lines in old.`,
  )

/** Both lines, with a mark under the first character that differs. */
function missSlip({ path }: Call, { quoted, found }: Slip, line: number): ToolResult {
  const written = quoted.trim()
  const real = found.trim()
  let same = 0
  while (same < written.length && written[same] === real[same]) same++
  return fail(
    'no-match',
    [
      `Nothing was changed: a line that changes reads differently in ${path} (near line ${line}).`,
      `old:  ${clip(written, MAX_WIDTH)}`,
      `file: ${clip(real, MAX_WIDTH)}`,
      `      ${' '.repeat(Math.min(same, MAX_WIDTH))}^`,
      'Quote the line as the file has it.',
    ].join('\n'),
  )
}

const MAX_PLACES = 12
const MAX_WIDTH = 200

function missMany(
  { path }: Call,
  before: string,
  { spans, how }: Extract<Match, { kind: 'many' }>,
): ToolResult {
  const lines = toLines(before)
  const shown = spans.slice(0, MAX_PLACES).map(({ start }) => {
    const line = lineAt(before, start)
    return `${line}\t${clip(lines[line - 1] ?? '', MAX_WIDTH)}`
  })
  const rest = spans.length > MAX_PLACES ? [`… ${spans.length - MAX_PLACES} more`] : []
  const next =
    how === 'similar'
      ? 'Quote the one you mean exactly.'
      : 'Add the line before or after it to old, or all: true to change all.'
  return fail(
    'no-match',
    [`old fits in ${plural(spans.length, 'place')} of ${path}:`, ...shown, ...rest, next].join('\n'),
  )
}

function missNone(call: Call, before: string, { nearest }: Extract<Match, { kind: 'none' }>): ToolResult {
  const { path } = call
  const there = alreadyThere(before, call)
  if (there)
    return fail(
      'no-match',
      `Nothing was changed: old is not in ${path}, but new already is:\n${numbered(before, there)}`,
    )
  const region = nearest ? `\nNearest lines:\n${numbered(before, nearest)}` : ''
  return fail('no-match', `old is not in ${path}.${region}\nQuote the lines exactly as they stand.`)
}

type Lines = { readonly from: number; readonly to: number }

/** Letter by letter: another number or operator is another text. */
function alreadyThere(before: string, { new: replacement }: Call): Lines | undefined {
  const match = findMatch(before, replacement)
  if (match.kind === 'none' || match.how === 'similar') return undefined
  const span = match.kind === 'found' ? match : match.spans[0]
  return span && { from: lineAt(before, span.start), to: lineAt(before, span.end) }
}

const MARGIN = 2
const MAX_SHOWN = 24

function numbered(text: string, { from, to }: Lines): string {
  const first = Math.max(1, from - MARGIN)
  return toLines(text)
    .slice(first - 1, Math.min(to + MARGIN, first + MAX_SHOWN))
    .map((line, index) => `${first + index}\t${clip(line, MAX_WIDTH)}`)
    .join('\n')
}
