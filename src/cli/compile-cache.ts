/**
 * Node 22.1 and later keep the code that V8 compiled for the next start. It goes to Covey's data folder, not to Node's
 * default folder, which all users of the machine share: what is in there gets executed.
 */
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { appPaths } from '../config/paths.ts'

type CompileCache = { enableCompileCache?(folder: string): unknown }

export function enableCompileCache({ env, platform, argv }: NodeJS.Process): void {
  if (argv.includes('--incognito')) return
  const { enableCompileCache: enable } = nodeModule as CompileCache
  enable?.(join(appPaths(env, platform).dataFolder, 'compiled'))
}
