/**
 * A reply that shows a change instead of making it, turned into the calls it means. Only what the person asked for,
 * only where every block can be read without doubt, and a file that exists only by a text that is surely all of it.
 * The calls take the same way as any others: preflight, guard, undo.
 */
import type { ToolCall } from '../protocol/message.ts'
import type { Files } from '../protocol/tool.ts'
import type { Reply } from './collect.ts'
import type { Situation } from './detectors/detector.ts'
import { type Deed, isAsked, readDeeds } from './detectors/prose-instead.ts'
import type { ToolAccess } from './parts.ts'

type Meant = { readonly situation: Situation; readonly toolAccess: ToolAccess; readonly turn: number }

/** Nothing where it stays words. */
export async function meantCall(
  reply: Reply,
  { situation, toolAccess, turn }: Meant,
): Promise<Reply | undefined> {
  const isWhole = reply.calls.length === 0 && reply.badCalls.length === 0 && reply.finish !== 'length'
  if (!isWhole || reply.repetition || !isAsked(situation)) return undefined
  const deeds = readDeeds(reply.text, situation)
  const calls: ToolCall[] = []
  for (const [index, deed] of deeds.entries()) {
    const call = await toCall(deed, situation, toolAccess)
    if (!call || !toolAccess.list().some(({ name }) => name === call.name)) return undefined
    calls.push({ id: `meant-${turn}-${index + 1}`, name: call.name, input: JSON.stringify(call.input) })
  }
  return calls.length === 0 ? undefined : { ...reply, calls }
}

type Plain = { readonly name: string; readonly input: object }

async function toCall(deed: Deed, situation: Situation, toolAccess: ToolAccess): Promise<Plain | undefined> {
  const { files } = toolAccess.context
  const { demands } = situation
  if (deed.kind === 'command') {
    return { name: 'run_command', input: { command: deed.command } }
  }
  if (!demands.change) return undefined
  if (deed.kind === 'patch') return { name: 'apply_patch', input: { patch: deed.patch } }
  if (deed.kind === 'edit') return toEdit(deed, files)
  return toWrite(deed, files)
}

async function toEdit(deed: Extract<Deed, { kind: 'edit' }>, files: Files): Promise<Plain | undefined> {
  const { path, old, now } = deed
  const text = await files.read(path).catch(() => '')
  return text.split(old).length === 2 ? { name: 'edit_file', input: { path, old, new: now } } : undefined
}

async function toWrite(deed: Extract<Deed, { kind: 'file' }>, files: Files): Promise<Plain | undefined> {
  const { path, content } = deed
  const info = await files.info(path).catch(() => undefined)
  if (info?.kind === 'folder') return undefined
  if (!info) return { name: 'write_file', input: { path, content } }
  const before = await files.read(path).catch(() => '')
  if (!isAllOf(before, content)) return undefined
  const edit = differenceOf(before, content)
  return edit
    ? { name: 'edit_file', input: { path, ...edit } }
    : { name: 'write_file', input: { path, content, overwrite: true } }
}

/** The lines that differ, as one edit; undefined if the old ones occur more than once, or nothing differs. */
function differenceOf(before: string, after: string): { old: string; new: string } | undefined {
  const old = before.split('\n')
  const now = after.split('\n')
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  const most = Math.min(old.length, now.length) - head
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  // With a line on either side, so that an added line has something to stand beside.
  const from = Math.max(0, head - 1)
  const keep = Math.max(0, tail - 1)
  const quote = old.slice(from, old.length - keep).join('\n')
  const isOnly = quote.trim() !== '' && before.split(quote).length === 2
  return before !== after && isOnly
    ? { old: quote, new: now.slice(from, now.length - keep).join('\n') }
    : undefined
}

const KEPT = 0.7

/** A new version of a whole file keeps most of its lines; a piece of it does not. */
function isAllOf(before: string, content: string): boolean {
  const lines = toLines(before)
  const kept = new Set(toLines(content))
  return lines.length > 0 && lines.filter((line) => kept.has(line)).length >= lines.length * KEPT
}

const toLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
