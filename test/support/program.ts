/**
 * What Node is given to run Covey as a process of its own: the built program where it is newer than every source file, since it
 * starts in a fraction of the time; otherwise the source. `COVEY_BUILT_MAIN` names a built program to use in any case.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const SOURCE = pathOf('src')
const BUILT = pathOf('dist/main.js')
const TSX = pathOf('node_modules/tsx/dist/loader.mjs')

/** The program as it is written, module by module. */
const coveySource: readonly string[] = ['--import', TSX, pathOf('src/main.ts')]

/** The words before the arguments of `covey`. */
export const coveyProgram: readonly string[] = (() => {
  const built = process.env['COVEY_BUILT_MAIN'] ?? (isCurrent() ? BUILT : undefined)
  return built === undefined ? coveySource : [built]
})()

function isCurrent(): boolean {
  const built = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return false
  return readdirSync(SOURCE, { recursive: true, withFileTypes: true }).every(
    (entry) => entry.isDirectory() || statSync(join(entry.parentPath, entry.name)).mtimeMs < built,
  )
}
