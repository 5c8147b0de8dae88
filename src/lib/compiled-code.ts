/**
 * Loads the chunks of the bundle with what V8 compiled of them at an earlier start, from one file. Half of a start would be
 * reading and compiling them anew, and Node 20 keeps no compiled code itself. V8 refuses what another version of it made;
 * then, or without the file, everything is compiled as usual and the file is written again at the end.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

export type CompiledCode = {
  /** What a chunk exports; chunks that it requires are loaded the same way. */
  load(path: string): unknown
  /** Writes down what was compiled now; never throws: the next start is slower, and that is all. */
  keep(): void
}

/** What a chunk knows as `module`. */
type ChunkModule = { exports: unknown; importPackage(id: string): Promise<unknown> }

const importPackage = (id: string): Promise<unknown> => import(id)

type Loaded = { readonly module: ChunkModule; readonly script: Script; readonly isNew: boolean }

/**
 * A file of names, lengths and checksums, then what they name. `file` must be another one for every build and every Node:
 * V8 itself compares only the length of the source.
 */
export function openCompiledCode(file: string, leastBytes = LEAST_BYTES): CompiledCode {
  const known = readKnown(file)
  const loaded = new Map<string, Loaded>()
  const load = (path: string): unknown => {
    const before = loaded.get(path)
    if (before) return before.module.exports
    const { script, isNew } = compile(path, known.get(basename(path)))
    const module: Loaded['module'] = { exports: {}, importPackage }
    // Noted before it runs: chunks may require each other in a circle.
    loaded.set(path, { module, script, isNew })
    const other = createRequire(path)
    const requireFrom = (id: string): unknown =>
      id.startsWith('.') ? load(resolve(dirname(path), id)) : other(id)
    script.runInThisContext()(module.exports, Object.assign(requireFrom, other), module, path)
    return module.exports
  }
  return { load, keep: () => keep({ file, known, loaded, leastBytes }) }
}

const PARAMETERS = '(function(exports,require,module,__filename){'

function compile(path: string, known: Known | undefined): Pick<Loaded, 'script' | 'isNew'> {
  // V8 would run damaged code.
  const cachedData = known && crc32(known.data) === known.sum ? known.data : undefined
  // The bundle is ASCII: as Latin-1 it is neither checked nor copied.
  const script = new Script(`${PARAMETERS}${readFileSync(path, 'latin1')}\n})`, {
    filename: path,
    columnOffset: -PARAMETERS.length,
    ...(cachedData && { cachedData }),
  })
  return { script, isNew: script.cachedDataRejected !== false }
}

type Known = { readonly data: Buffer; readonly sum: number }

function readKnown(file: string): ReadonlyMap<string, Known> {
  try {
    const bytes = readFileSync(file)
    const end = bytes.indexOf('\n')
    const entries = JSON.parse(bytes.subarray(0, end).toString()) as [string, number, number][]
    let at = end + 1
    return new Map(
      entries.map(([name, length, sum]) => [name, { data: bytes.subarray(at, (at += length)), sum }]),
    )
  } catch {
    return new Map()
  }
}

/** A command that loads next to nothing is not worth a file. */
const LEAST_BYTES = 512 * 1024
/** Of other builds and other versions of Node. */
const MOST_FILES = 4

type Keeping = {
  readonly file: string
  readonly known: ReadonlyMap<string, Known>
  readonly loaded: ReadonlyMap<string, Loaded>
  readonly leastBytes: number
}

function keep({ file, known, loaded, leastBytes }: Keeping): void {
  const added = [...loaded].filter(([, { isNew }]) => isNew)
  const made = added.map(([path, { script }]) => [basename(path), toKnown(script)] as const)
  if (made.length === 0 || made.reduce((sum, [, { data }]) => sum + data.length, 0) < leastBytes) return
  const all = new Map([...known, ...made])
  const head = JSON.stringify(Array.from(all, ([name, { data, sum }]) => [name, data.length, sum]))
  try {
    const folder = dirname(file)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const temporary = join(folder, `.${process.pid}.tmp`)
    const parts = [Buffer.from(`${head}\n`), ...Array.from(all.values(), ({ data }) => data)]
    writeFileSync(temporary, Buffer.concat(parts), { mode: 0o600 })
    renameSync(temporary, file)
    removeOld(folder)
  } catch {
    // A disk that is full or may not be written.
  }
}

function toKnown(script: Script): Known {
  const data = script.createCachedData()
  return { data, sum: crc32(data) }
}

function removeOld(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name))
  const newest = files.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const path of newest.slice(MOST_FILES)) rmSync(path, { force: true })
}
