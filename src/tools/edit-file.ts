/**
 * One replacement in a file. Where to replace is found even when the quote is a little off, never guessed; a miss shows
 * what stands there instead, so that the next try can be right.
 */
import { z } from 'zod'
import { defineTool, type Tool, type ToolResult } from '../protocol/tool.ts'
import { changedLines, toDiffText } from '../lib/diff.ts'
import { type Edited, type EditInput, editText } from '../lib/edit-text.ts'
import { findMatch, type Match } from '../lib/match.ts'
import { clip, lineAt, toLines } from '../lib/text.ts'
import { checkChanges } from './checks.ts'
import type { WriteParts } from './write-file.ts'

const input = z.object({ path: z.string(), old: z.string(), new: z.string() })

export const createEditFile = ({ checks }: Pick<WriteParts, 'checks'>): Tool =>
  defineTool({
    name: 'edit_file',
    description: 'Replace old by new',
    category: 'write',
    input,
    paths: ['path'],
    timeoutMs: 300_000,
    access: ({ path }) => [{ kind: 'write', target: path }],

    async check(call, { files, signal }) {
      const useless = refuseUseless(call)
      if (useless) return { ok: false, why: useless.text }
      const before = await files.read(call.path, signal)
      const edited = editLeniently(before, call)
      if (!edited.ok) return { ok: false, why: miss(call, before, edited.match).text }
      return checkChanges([{ path: call.path, before, after: edited.text }])
    },

    async run(call, context) {
      const useless = refuseUseless(call)
      if (useless) return useless
      const { path } = call
      const before = await context.files.read(path, context.signal)
      const edited = editLeniently(before, call)
      if (!edited.ok) return miss(call, before, edited.match)
      if (edited.text === before) return `${path} already reads like that; nothing was changed.`
      await context.files.write(path, edited.text)
      const remarks = await checks([{ path, before, after: edited.text }], context)
      return { ok: true, text: summary(path, before, edited) + remarks, changed: [path] }
    },
  })

type Call = z.infer<typeof input>

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

/** Models copy the line numbers of read_file into their quotes. */
function editLeniently(before: string, call: Call): Edited {
  const edited = editText(before, call)
  if (edited.ok || !NUMBERED.test(call.old)) return edited
  const plain: EditInput = { old: withoutNumbers(call.old), new: withoutNumbers(call.new) }
  const retried = editText(before, plain)
  return retried.ok ? retried : edited
}

const NUMBERED = /^(?:\s*\d+\t.*(?:\n|$))+$/
const withoutNumbers = (text: string): string =>
  NUMBERED.test(text) ? text.replaceAll(/^\s*\d+\t/gm, '') : text

const DIFF_LINES = 12

function summary(path: string, before: string, edited: Extract<Edited, { ok: true }>): string {
  const change = changedLines(before, edited.text)
  const how = edited.how === 'exact' ? '' : ` (matched with ${differences[edited.how]})`
  if (!change) return `Edited ${path}: line ends only${how}`
  const last = change.from + Math.max(1, change.added.length) - 1
  const lines = last > change.from ? `lines ${change.from}-${last}` : `line ${change.from}`
  return `Edited ${path}: ${lines}${how}\n${toDiffText(change, DIFF_LINES)}`
}

const differences = { 'white space': 'other white space', similar: 'small differences' } as const

function miss(call: Call, before: string, match: Exclude<Match, { kind: 'found' }>): ToolResult {
  const { path } = call
  if (match.kind === 'many') {
    const lines = match.lines.join(', ')
    return fail(
      'no-match',
      `old fits in several places of ${path}: lines ${lines}. Add the line before or after.`,
    )
  }
  const done = alreadyThere(before, call)
  const there =
    done === undefined ? '' : ` The new text is already there at line ${done}: this edit may be done.`
  const region = match.nearest ? `\nNearest lines:\n${numbered(before, match.nearest)}` : ''
  return fail('no-match', `old is not in ${path}.${there}${region}\nQuote the lines exactly as they stand.`)
}

function alreadyThere(before: string, { new: replacement }: Call): number | undefined {
  const match = findMatch(before, replacement)
  if (match.kind === 'found' && match.how !== 'similar') return lineAt(before, match.start)
  return match.kind === 'many' ? match.lines[0] : undefined
}

const MARGIN = 2
const MAX_SHOWN = 24

function numbered(text: string, { from, to }: { from: number; to: number }): string {
  const first = Math.max(1, from - MARGIN)
  return toLines(text)
    .slice(first - 1, Math.min(to + MARGIN, first + MAX_SHOWN))
    .map((line, index) => `${first + index}\t${clip(line, 200)}`)
    .join('\n')
}
