/**
 * The tool that starts agents: up to ten at once, each with its own short conversation and budget, held to whatever
 * the run that starts them is held to. What they answer comes back short; the full text is kept where `read_result`
 * finds it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { bothLimits } from '../lib/limits.ts'
import { clip, plural } from '../lib/text.ts'
import { errorMessage } from '../protocol/error.ts'
import { defineTool, type RunLimits, type Tool, type ToolContext, type ToolResult } from '../protocol/tool.ts'
import { pathsWithin, type Task, tasksSchema } from './task.ts'
import { defined } from '../lib/object.ts'

export type ChildEnd = {
  /** It came to an answer of its own. */
  readonly ok: boolean
  readonly text: string
  readonly turns: number
  readonly tokens: number
  readonly changed: readonly string[]
}

export type Child = {
  readonly id: string
  readonly prompt: string
  readonly limits: RunLimits
  readonly maxTurns: number
  readonly arm?: string
}

/** Runs one to its end; reports its steps line by line. */
export type RunChild = (child: Child, tell: (step: string) => void, signal: AbortSignal) => Promise<ChildEnd>

export type SpawnParts = {
  readonly runChild: RunChild
  readonly maxTurns?: number
  readonly timeoutMs?: number
  /** Not all at once: the first ones read the shared beginning of the prompt into the cache for the others. */
  readonly staggerMs?: number
}

const MAX_TURNS = 30
const TIMEOUT_MS = 5 * 60_000
const STAGGER_MS = 300
const MAX_SUMMARY = 2_000
/** In characters. */
const MAX_FILES = 500

/** A subagent starts no others, and cannot ask the user. */
const NOT_FOR_CHILDREN = ['spawn_subagents', 'ask_user']

export function createSpawnSubagents(parts: SpawnParts): Tool {
  let count = 0
  return defineTool({
    name: 'spawn_subagents',
    description: 'Start agents that work on parts of the task side by side',
    category: 'meta',
    input: z.object({ tasks: tasksSchema }),
    timeoutMs: Infinity,

    async run({ tasks }, context) {
      const numbered = tasks.map((task, index) => ({ task, index, id: `sub-${++count}` }))
      // All have ended before the call does, whatever became of one of them: none continues unseen.
      const ended = await Promise.allSettled(numbered.map((each) => runOne(each, parts, context)))
      return toResult(ended.map(requireEnded))
    },
  })
}

function requireEnded(ended: PromiseSettledResult<Ended>): Ended {
  if (ended.status === 'rejected') throw ended.reason
  return ended.value
}

type Numbered = { readonly task: Task; readonly index: number; readonly id: string }
type Ended = ChildEnd & { readonly report: string }

async function runOne(
  { task, index, id }: Numbered,
  parts: SpawnParts,
  context: ToolContext,
): Promise<Ended> {
  const { maxTurns = MAX_TURNS, timeoutMs = TIMEOUT_MS, staggerMs = STAGGER_MS } = parts
  await delay(index * staggerMs, undefined, { signal: context.signal })
  const started = performance.now()
  context.tell({ type: 'subagent-start', subagent: id, task: clip(task.prompt, 200) })
  const late = AbortSignal.timeout(timeoutMs)
  const child: Child = {
    id,
    prompt: task.prompt,
    limits: limitsOf(task, context),
    maxTurns,
    ...defined({ arm: task.arm }),
  }
  const tell = (text: string) => context.tell({ type: 'subagent-step', subagent: id, text: clip(text, 200) })
  const end = await parts
    .runChild(child, tell, AbortSignal.any([context.signal, late]))
    .catch((error: unknown) => failed(late.aborted ? '' : errorMessage(error)))
  context.signal.throwIfAborted()
  const settled =
    late.aborted && !end.ok ? { ...end, text: `${tooLong(timeoutMs)}\n${end.text}`.trim() } : end
  return finish({ id, task, ms: Math.round(performance.now() - started), end: settled }, context)
}

const tooLong = (timeoutMs: number): string => `stopped after ${timeoutMs / 1000} s`

const failed = (text: string): ChildEnd => ({ ok: false, text, turns: 0, tokens: 0, changed: [] })

/** Both hold: what the task names within what the run itself may use. */
function limitsOf({ tools, paths }: Task, { limits, files }: ToolContext): RunLimits {
  const allowedPaths = pathsWithin(files.root, paths)
  return bothLimits(limits, {
    deniedTools: NOT_FOR_CHILDREN,
    ...defined({ allowedTools: tools, allowedPaths }),
  })
}

type Finishing = { readonly id: string; readonly task: Task; readonly ms: number; readonly end: ChildEnd }

async function finish({ id, task, ms, end }: Finishing, { tell, results }: ToolContext): Promise<Ended> {
  const { ok, text, turns, tokens, changed } = end
  tell({ type: 'subagent-end', subagent: id, ok, text: clip(text, 200), turns, tokens, ms, changed })
  const isLong = text.length > MAX_SUMMARY
  // Without room to keep the whole, its beginning still comes back.
  const stored = isLong
    ? await results.put(`${id}: ${clip(task.prompt, 80)}`, text).catch(() => undefined)
    : undefined
  const spent = `${plural(turns, 'turn')}, ${tokens} tokens, ${Math.round(ms / 1000)} s`
  const files = changed.length > 0 ? `\nchanged: ${clip(changed.join(', '), MAX_FILES)}` : ''
  const more = stored ? `\n[full text: read_result ${stored.id}]` : ''
  return {
    ...end,
    report: `${id} ${ok ? 'done' : 'failed'} (${spent}): ${clip(text, MAX_SUMMARY)}${files}${more}`,
  }
}

function toResult(ended: readonly Ended[]): ToolResult {
  const text = ended.map(({ report }) => report).join('\n\n')
  const changed = [...new Set(ended.flatMap((end) => end.changed))]
  const ok = ended.some((end) => end.ok)
  return { ok, text, changed, ...(!ok && { code: 'failed' as const }) }
}
