import type { RunEvent } from '../protocol/event.ts'
import { toFileDiff } from '../lib/file-diff.ts'
import type { ToolAccess } from './parts.ts'
import type { Ready } from './prepare.ts'

type Surroundings = {
  readonly toolAccess: Pick<ToolAccess, 'context'>
  emit(event: RunEvent): void
  readonly signal: AbortSignal
}

/** A question shows what would change; a result shows what did. A call that cannot work says so when it runs. */
export async function tellDiff(
  { tool, input, call }: Ready,
  { toolAccess, emit, signal }: Surroundings,
): Promise<void> {
  if (tool.category !== 'write' || !tool.check) return
  const checked = await tool.check(input, { files: toolAccess.context.files, signal }).catch(() => undefined)
  const files = (checked?.changes ?? []).flatMap((change) => toFileDiff(change) ?? [])
  if (files.length > 0) emit({ type: 'tool-diff', callId: call.id, files })
}
