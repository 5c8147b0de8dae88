/** What tools of servers are called here: `mcp__server__tool`, in letters that every model server accepts. Pure. */
import { shortHash } from '../lib/hash.ts'

/** The most that OpenAI's and most local servers take. */
const MAX_NAME = 64

export const toToolName = (server: string, tool: string): string => {
  const name = `mcp__${safe(server)}__${safe(tool)}`
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 9)}_${shortHash(name).slice(0, 8)}`
}

const safe = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, '_') || '_'

/** The name, or one like it that nobody has yet. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `_${number}`
    const candidate = `${name.slice(0, MAX_NAME - ending.length)}${ending}`
    if (!taken.has(candidate)) return candidate
  }
}
