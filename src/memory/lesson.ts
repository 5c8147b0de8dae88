/**
 * A failure that was solved is worth a lesson, and the moment it is solved is the moment to ask for one. A call that
 * failed, then a change to the project, then the same call with success: the result of that last call carries the request.
 */
import { shortHash } from '../lib/hash.ts'
import { canonicalJson } from '../lib/json.ts'
import type { Tool, ToolResult } from '../protocol/tool.ts'

export type CallView = {
  /** Name and arguments: equal keys are the same call. */
  readonly key: string
  readonly ok: boolean
  /** It changed something in the project. */
  readonly changed: boolean
}

/** What to say to the model after the last of these calls, if it solved something for the first time. */
export function lessonHint(calls: readonly CallView[]): string | undefined {
  const last = calls.at(-1)
  if (!last?.ok) return undefined
  const earlier = calls.slice(0, -1)
  const failed = earlier.findIndex(({ key, ok }) => key === last.key && !ok)
  const wasFixed = failed >= 0 && earlier.slice(failed).some(({ ok, changed }) => ok && changed)
  const isFirst = !earlier.slice(Math.max(failed, 0)).some(({ key, ok }) => key === last.key && ok)
  return wasFixed && isFirst ? HINT : undefined
}

const HINT =
  '[This failed before and works now. If the reason is worth knowing next time, store it once with remember: ' +
  '"lesson: trigger: … symptom: … cause: … fix: … test: …"]'

/** Calls older than this are no part of the same trouble. */
const MAX_CALLS = 200

/** The same tools, watched; made once per session. Only commands are asked about: what they check, the tests know. */
export function withLessons(tools: readonly Tool[]): readonly Tool[] {
  const calls: CallView[] = []
  const watch = ({ tool, input, isOffered }: Watched, result: ToolResult): ToolResult => {
    const changed = tool.category === 'write' && (result.changed?.length ?? 0) > 0
    // Hashed: two hundred whole files would be held here otherwise.
    calls.push({ key: shortHash(`${tool.name} ${canonicalJson(input)}`), ok: result.ok, changed })
    if (calls.length > MAX_CALLS) calls.shift()
    const hint = tool.category === 'run' && isOffered ? lessonHint(calls) : undefined
    return hint === undefined ? result : { ...result, text: `${result.text}\n${hint}` }
  }
  return tools.map((tool) =>
    tool.category === 'run' || tool.category === 'write'
      ? {
          ...tool,
          run: async (input, context) => {
            // A hint at a tool that the model is not shown would cost it turns to look for it.
            const isOffered = context.isOffered?.('remember') ?? false
            return watch({ tool, input, isOffered }, await tool.run(input, context))
          },
        }
      : tool,
  )
}

type Watched = { readonly tool: Tool; readonly input: unknown; readonly isOffered: boolean }
