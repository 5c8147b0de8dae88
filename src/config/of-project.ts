/** What of the configuration a project brings: it may be trusted, and is still a file the model works beside. */
import type { Config } from './schema.ts'
import type { Merged } from './layer.ts'
import { formatKey } from './tree.ts'

/** Keys of hooks and servers of which any part is set in the project's own file, such as `hooks.lint`. */
export function configuredByProject({ config, origins }: Merged): ReadonlySet<string> {
  const written = [...origins].flatMap(([key, { layer }]) => (layer === 'project' ? [key] : []))
  return new Set(launchedKeys(config).filter((key) => written.some((each) => each.startsWith(`${key}.`))))
}

const launchedKeys = ({ hooks, mcp }: Config): readonly string[] => [
  ...Object.keys(hooks).map(hookKey),
  ...Object.keys(mcp.servers).map(serverKey),
]

const hookKey = (name: string): string => formatKey(['hooks', name])
export const serverKey = (name: string): string => formatKey(['mcp', 'servers', name])
