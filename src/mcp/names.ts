/**
 * What things of servers are called here: `mcp__server__tool`, in letters that every model server accepts. Pure. A rule
 * for `mcp__server__*` must meet that server and no other, so the server's part holds no `__` and is its own alone.
 */
import { shortHash } from '../lib/hash.ts'

/** The most that OpenAI's and most local servers take. */
const MAX_NAME = 64
const MAX_SERVER = 32

/** By the configured name. They depend on what is configured, never on which server answers first. */
export function toServerNames(names: readonly string[]): ReadonlyMap<string, string> {
  const safeNames = names.map(toServerName)
  return new Map(
    names.map((name, at) => {
      const safe = safeNames[at] ?? ''
      const isShared = safeNames.filter((other) => other === safe).length > 1
      return [name, isShared && safe !== name ? withHash(safe, name, MAX_SERVER) : safe]
    }),
  )
}

function toServerName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '') || 'server'
  return safe.length <= MAX_SERVER ? safe : withHash(safe, name, MAX_SERVER)
}

export function toToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]+/g, '_') || '_'}`
  return name.length <= MAX_NAME ? name : withHash(name, tool, MAX_NAME)
}

const withHash = (name: string, whole: string, length: number): string =>
  `${name.slice(0, length - 9).replace(/_+$/, '')}_${shortHash(whole).slice(0, 8)}`

/** The name, or a similar one that is not taken. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `_${number}`
    const candidate = `${name.slice(0, MAX_NAME - ending.length)}${ending}`
    if (!taken.has(candidate)) return candidate
  }
}
