/**
 * Where the files of this package lie, from `src/` and from the bundle in `dist/` alike. Only this file knows: in the bundle
 * `import.meta.url` of any other module names a chunk, not the file it was written in.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(import.meta.url)
const require = createRequire(import.meta.url)
/** `tsx` and the tests run the sources; everything else runs the bundle. */
export const isSource = here.endsWith('.ts')
const root = rootAbove(dirname(here))

/** `prompts/system.md`, `models/covey-nano.gguf`: a path from the root of the package. */
export const packageFile = (path: string): string => join(root, path)

/** A program of ours that runs in a process of its own; `name` is its path in `src/` without the extension. */
export const programFile = (name: string): string =>
  isSource ? join(root, 'src', `${name}.ts`) : join(root, 'dist', `${name}.js`)

/** The main file of a package that another process loads by its path. Throws where it is not installed. */
export const dependencyFile = (name: string): string => require.resolve(name)

/** Of this program, as its manifest says. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version

function rootAbove(folder: string): string {
  const above = dirname(folder)
  return existsSync(join(folder, 'package.json')) || above === folder ? folder : rootAbove(above)
}
