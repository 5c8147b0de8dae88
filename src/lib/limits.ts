import type { RunLimits } from '../protocol/tool.ts'
import { isUnder } from './path.ts'
import { defined } from './object.ts'

/** Both hold: nothing that one of them forbids is allowed. */
export function bothLimits(one: RunLimits, other: RunLimits): RunLimits {
  const tools = inBoth(one.allowedTools, other.allowedTools, (tool, allowed) => allowed.includes(tool))
  const paths = inBoth(one.allowedPaths, other.allowedPaths, isUnderAny)
  const denied = [...(one.deniedTools ?? []), ...(other.deniedTools ?? [])]
  return {
    ...defined({ allowedTools: tools, allowedPaths: paths }),
    ...(denied.length > 0 && { deniedTools: denied }),
  }
}

type Names = readonly string[]

function inBoth(
  one: Names | undefined,
  other: Names | undefined,
  isAllowed: (name: string, allowed: Names) => boolean,
): Names | undefined {
  if (!one || !other) return one ?? other
  const kept = [
    ...one.filter((name) => isAllowed(name, other)),
    ...other.filter((name) => isAllowed(name, one)),
  ]
  return [...new Set(kept)]
}

const isUnderAny = (path: string, allowed: Names): boolean => allowed.some((folder) => isUnder(folder, path))
