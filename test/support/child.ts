/**
 * A program of the tests that runs in a process of its own, as one file of JavaScript: a process that compiles every module
 * it imports takes seconds of a core to start. Made once in a run, beside the packages it imports.
 */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')

/** Of this run; `test/support/setup.ts` removes it with all that is in it. */
const run = process.env['COVEY_TEST_RUN'] ?? `${process.pid}-${Date.now()}`
const folder = join(root, 'node_modules', '.covey-tests', run)

const made = new Map<string, Promise<string>>()

/** What Node is given to run it. */
export function childProgram({ href }: URL): Promise<string> {
  const program = made.get(href) ?? bundle(fileURLToPath(href))
  made.set(href, program)
  return program
}

async function bundle(source: string): Promise<string> {
  const file = join(folder, `${relative(root, source).replaceAll(/[/\\]/g, '-').replace(/\.ts$/, '')}.mjs`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  // Another worker may make it at the same time: each its own, and whichever is last stays.
  const own = join(folder, `${process.pid}-${basename(file)}`)
  await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile: own,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'error',
  })
  renameSync(own, file)
  return file
}
