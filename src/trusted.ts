/** The configuration as far as the person trusts where it comes from; for the app, and for what needs no app. */
import { join } from 'node:path'
import { loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts'
import { appPaths } from './config/paths.ts'
import { openTrust } from './guard/trust.ts'

/** What a project brings along counts as far as the person trusted it. */
export async function loadTrusted(options: LoadOptions): Promise<LoadedConfig> {
  const trust = await openTrustOf(options.env)
  return loadConfig({ ...options, isTrusted: trust.isTrusted })
}

export const openTrustOf = (env: NodeJS.ProcessEnv) =>
  openTrust(join(appPaths(env, process.platform).dataFolder, 'trust.json'))
