/** Loads the program and starts it: from the sources as they are, from the bundle with code that is compiled already. */
import { join } from 'node:path'
import { appPaths } from '../config/paths.ts'
import { openCompiledCode } from '../lib/compiled-code.ts'
import { isSource, packageVersion, programFile } from '../lib/package-files.ts'

type Program = typeof import('./start.ts')

export async function launch(process: NodeJS.Process): Promise<number> {
  const { env, version, arch, platform } = process
  if (isSource || env['NODE_DISABLE_COMPILE_CACHE']) {
    const { startCli } = await import('./start.ts')
    return startCli(process)
  }
  // With what the agent may not write to: who can change compiled code can change the program.
  const { dataFolder } = appPaths(env, platform)
  const code = openCompiledCode(
    join(dataFolder, 'compiled', `${packageVersion()}-${BUILD}-${version}-${arch}`),
  )
  const { startCli } = code.load(programFile('cli/start')) as Program
  const exitCode = await startCli(process)
  code.keep()
  return exitCode
}

/** Set by the build: a hash of all chunks. */
declare const COVEY_BUILD: string
const BUILD = typeof COVEY_BUILD === 'undefined' ? '' : COVEY_BUILD
