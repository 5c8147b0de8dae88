import { join } from 'node:path'
import type { AppPaths } from './paths.ts'
import type { Config } from './schema.ts'

/** What the configuration says about every sandbox of a project. */
export function toSandboxSettings(
  { sandbox, permission }: Pick<Config, 'sandbox' | 'permission'>,
  { home, dataFolder, configFolder }: AppPaths,
) {
  const expand = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : path)
  return {
    hidden: [dataFolder, configFolder],
    home,
    network: sandbox.network,
    readable: sandbox.readable.map(expand),
    writable: sandbox.writable.map(expand),
    readOnly: permission.mode === 'read-only',
  }
}
