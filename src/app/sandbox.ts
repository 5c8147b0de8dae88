import type { AppPaths } from '../config/paths.ts'
import { toSandboxSettings } from '../config/sandbox.ts'
import type { Config } from '../config/schema.ts'
import { isInteresting } from '../guard/executable/snapshot.ts'
import { closedPaths } from '../guard/permission/history.ts'

export type SandboxPlace = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  /** The real path of the project. */
  readonly root: string
}

/** For every sandbox of a project, whatever runs in it: what the configuration opens and what its rules close. */
export const sandboxOptions = ({ config, paths, env, root }: SandboxPlace) => ({
  roots: [root],
  env,
  interesting: isInteresting,
  ...toSandboxSettings(config, paths),
  ...closedPaths(config.permission.rules, root),
})
