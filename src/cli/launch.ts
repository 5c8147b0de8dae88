/**
 * How the built program starts. Compiling it takes as long as everything else it does before its first request, so the code
 * that V8 made is kept for the next start. Node 22 does that for modules, Node 20 only for scripts: the bundle is a script.
 *
 * It is kept in Covey's data folder, which tools cannot write to: what is in there gets executed.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { appPaths } from '../config/paths.ts'

/** Loads a part of the program; `scripts/build.mjs` says which there are. */
type Program = Readonly<Record<string, () => Promise<unknown>>>

/** What a script needs of a module; the bundle is a function that takes it. */
type Surroundings = { readonly require: NodeJS.Require; readonly file: string }

/** V8 compares only the length of the source, so the build says what is in it. */
declare const BUNDLE_HASH: string

/** Functions are compiled when they first run: the first starts find out which are used. */
const LESSONS = 3

type Kept = { readonly code: Buffer; readonly lesson: number }

export function loadProgram(): Program {
  const file = fileURLToPath(new URL('program.cjs', import.meta.url))
  const own = ownFolder(process)
  // A build leaves what its first starts compiled beside the bundle; a package does not carry it.
  const kept = own === undefined ? undefined : (readKept(own) ?? readKept(join(dirname(file), 'compiled')))
  // The bundle is plain ASCII; read as such it needs no decoding.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(kept && { cachedData: kept.code }),
  })
  const known = script.cachedDataRejected ? undefined : kept
  if (own !== undefined && (known?.lesson ?? 0) < LESSONS && !process.argv.includes('--incognito'))
    process.once('exit', () => keep(own, script, known))
  const evaluate = script.runInThisContext() as (surroundings: Surroundings) => Program
  return evaluate({ require: createRequire(file), file })
}

/** Node's own variables for the same thing hold here, too. */
function ownFolder({ env, platform }: NodeJS.Process): string | undefined {
  if (env['NODE_DISABLE_COMPILE_CACHE']) return undefined
  const given = env['NODE_COMPILE_CACHE']
  return given ? join(given, 'covey') : join(appPaths(env, platform).dataFolder, 'compiled')
}

/** What V8 would not take, because of its version, its flags or the processor, has another name. */
const keptName = (): string => `${BUNDLE_HASH}-${cachedDataVersionTag()}`

/** The last byte counts the starts that wrote it. */
function readKept(folder: string): Kept | undefined {
  try {
    const bytes = readFileSync(join(folder, keptName()))
    return { code: bytes.subarray(0, -1), lesson: bytes[bytes.length - 1] ?? 0 }
  } catch {
    return undefined
  }
}

/** Nothing depends on it: where it cannot be written, the next start takes as long as this one. */
function keep(folder: string, script: Script, known: Kept | undefined): void {
  try {
    const made = script.createCachedData()
    const code = known && known.code.length > made.length ? known.code : made
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    replaceFile(join(folder, keptName()), Buffer.concat([code, Buffer.of((known?.lesson ?? 0) + 1)]))
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(BUNDLE_HASH)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  } catch {
    // See above.
  }
}

/** V8 trusts what it reads: not even after a power cut may the name stand for a torn file. */
function replaceFile(path: string, bytes: Buffer): void {
  const draft = `${path}.${process.pid}`
  const handle = openSync(draft, 'w', 0o600)
  try {
    writeSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, path)
}
