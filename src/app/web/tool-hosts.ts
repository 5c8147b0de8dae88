/**
 * Who runs tools, for the page: this machine or another one for the sessions here, and this machine for others. Of the
 * last only its lock and its log are known here, because it is a process of its own.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { reachesWorld } from '../../protocol/tool-host.ts'
import { holderOf } from '../../lib/lock.ts'
import { readEnd } from '../../lib/read-end.ts'
import type { LastCall, ToolHostView } from '../../protocol/page.ts'
import type { ActivityLog } from '../../server/web/activity.ts'
import { builtinTools } from '../../tools/all.ts'
import type { AppContext } from '../open.ts'

export type ToolHostsParts = {
  readonly context: Pick<AppContext, 'config' | 'guards' | 'paths' | 'sessions' | 'toolsAt'>
  readonly activity: Pick<ActivityLog, 'lastCall'>
}

/** A page looks every two seconds; the other machine is not asked that often. */
const LOOK_EVERY_MS = 5_000

export function toolHostsOf({ context, activity }: ToolHostsParts): () => Promise<readonly ToolHostView[]> {
  const { config, guards, paths, sessions, toolsAt } = context
  const builtin = builtinTools({ list: () => [] })
  let seen: { readonly at: number; readonly view: Promise<ToolHostView> } | undefined
  const look = (): Promise<ToolHostView> | undefined => {
    if (!toolsAt) return undefined
    if (!seen || performance.now() - seen.at > LOOK_EVERY_MS)
      seen = { at: performance.now(), view: toolsAt.look(new AbortController().signal) }
    return seen.view
  }
  const withLast = (host: ToolHostView): ToolHostView => {
    const lastCall = activity.lastCall((tool) => host.tools.includes(tool))
    return { ...host, ...(lastCall && { lastCall }) }
  }
  return async () => {
    const remote = await look()
    const own: ToolHostView = {
      kind: 'own',
      name: 'this machine',
      folder: sessions.root,
      rules: `permission ${config.permission.mode}, commands: ${guards.confinement}`,
      state: 'here',
      tools: builtin.filter((tool) => !remote || !reachesWorld(tool)).map(({ name }) => name),
    }
    const forOthers = await servingOthers(join(paths.dataFolder, 'tool-host'))
    return [...(remote ? [withLast(remote)] : []), withLast(own), ...forOthers]
  }
}

const LogLine = z.object({
  time: z.number(),
  msg: z.literal('tool call'),
  client: z.string(),
  workspace: z.string(),
  tool: z.string(),
  code: z.string().exactOptional(),
  ms: z.number(),
})

/** `covey tools serve` with the same data folder, while it runs. */
async function servingOthers(folder: string): Promise<readonly ToolHostView[]> {
  if ((await holderOf(folder)) === undefined) return []
  const lines = await readEnd(join(folder, 'tool-host.log'))
  const calls = lines.flatMap(toCall)
  const last = calls.at(-1)
  return [
    {
      kind: 'for-others',
      name: 'this machine',
      state: 'here',
      tools: [],
      ...(last && { lastCall: last.call, folder: last.workspace }),
    },
  ]
}

function toCall(line: string): readonly { readonly call: LastCall; readonly workspace: string }[] {
  try {
    const { time, client, workspace, tool, code, ms } = LogLine.parse(JSON.parse(line))
    return [{ call: { tool, at: time, ms, ok: code === undefined, client }, workspace }]
  } catch {
    return []
  }
}
