/**
 * What the project's files held when they were last looked at. A command does not say what it changes, so the files are
 * looked at before it and after it; only those whose times or size differ are read. Bounded in files, bytes and time: what
 * is beyond is named as not covered, never half covered.
 */
import { type BigIntStats } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileVersion } from '../protocol/undo.ts'
import type { Blobs } from './blobs.ts'
import type { FileChange } from './journal.ts'

export type ShadowParts = {
  readonly root: string
  readonly blobs: Blobs
  /** The files of the project, without what git ignores; nothing where there are too many to list. */
  list(signal: AbortSignal): Promise<readonly string[] | undefined>
  /** Whether a file may be kept at all: those with secrets are not. */
  isKept(path: string): boolean
  readonly limits?: Partial<ShadowLimits>
}

export type ShadowLimits = {
  readonly files: number
  /** Of one file. */
  readonly fileBytes: number
  /** Of all files together. */
  readonly bytes: number
  /** For one look. */
  readonly ms: number
}

const usualLimits: ShadowLimits = {
  files: 20_000,
  fileBytes: 2 ** 20,
  bytes: 256 * 2 ** 20,
  ms: 5_000,
}

export type Look = {
  readonly changes: readonly FileChange[]
  /** Files that changed and whose content was not kept. */
  readonly uncovered: readonly string[]
  /** False where there are too many files to look at. */
  readonly isWhole: boolean
}

/** What is known of a file; without a version, only that it was there. */
type Entry = { readonly stamp: string; readonly bytes: number; readonly version?: FileVersion }

export type ShadowState = Readonly<Record<string, Entry>>

export class Shadow {
  readonly #parts: ShadowParts
  readonly #limits: ShadowLimits
  #entries: ReadonlyMap<string, Entry> | undefined

  constructor(parts: ShadowParts) {
    this.#parts = parts
    this.#limits = { ...usualLimits, ...parts.limits }
  }

  /** What differs from the look before; after the first look nothing does. */
  async look(signal: AbortSignal): Promise<Look> {
    const paths = await this.#parts.list(signal)
    const before = this.#entries
    const isWhole = paths !== undefined && paths.length <= this.#limits.files
    this.#entries = isWhole ? await this.#scan(paths, before ?? new Map(), signal) : undefined
    const seen = before && this.#entries ? differences(before, this.#entries) : NOTHING
    return { ...seen, isWhole }
  }

  /** A file was written by us: that is no surprise at the next look. */
  async note(path: string): Promise<void> {
    if (!this.#entries) return
    const entries = new Map(this.#entries)
    const entry = await this.#entryOf(path, undefined, Infinity)
    if (entry) entries.set(path, entry)
    else entries.delete(path)
    this.#entries = entries
  }

  state(): ShadowState {
    return Object.fromEntries(this.#entries ?? [])
  }

  /** As it was before somebody else's crash. */
  restore(state: ShadowState): void {
    this.#entries = new Map(Object.entries(state))
  }

  async #scan(
    paths: readonly string[],
    known: ReadonlyMap<string, Entry>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Entry>> {
    const deadline = Date.now() + this.#limits.ms
    const entries = new Map<string, Entry>()
    let bytes = 0
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      signal.throwIfAborted()
      const some = paths.slice(at, at + AT_ONCE)
      const room = Date.now() > deadline ? 0 : this.#limits.bytes - bytes
      const found = await Promise.all(some.map((path) => this.#entryOf(path, known.get(path), room)))
      for (const [index, path] of some.entries()) {
        const entry = found[index]
        if (!entry) continue
        entries.set(path, entry)
        if (entry.version) bytes += entry.bytes
      }
    }
    return entries
  }

  async #entryOf(path: string, known: Entry | undefined, room: number): Promise<Entry | undefined> {
    const { root, blobs, isKept } = this.#parts
    const real = join(root, path)
    const info = await lstat(real, { bigint: true }).catch(() => undefined)
    if (!info?.isFile()) return undefined
    const stamp = stampOf(info)
    const bytes = Number(info.size)
    if (known?.stamp === stamp && known.version) return known
    if (bytes > Math.min(this.#limits.fileBytes, room) || !isKept(path)) return { stamp, bytes }
    const content = await readFile(real).catch(() => undefined)
    if (!content) return { stamp, bytes }
    return { stamp, bytes, version: { hash: await blobs.put(content), mode: Number(info.mode) & 0o7777 } }
  }
}

const AT_ONCE = 64
const NOTHING = { changes: [], uncovered: [] }

const stampOf = ({ size, mtimeNs, ctimeNs, ino, mode }: BigIntStats): string =>
  [size, mtimeNs, ctimeNs, ino, mode].join(' ')

function differences(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): Omit<Look, 'isWhole'> {
  const changes: FileChange[] = []
  const uncovered: string[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(path), after.get(path)]
    if (was?.stamp === is?.stamp) continue
    if ((was && !was.version) || (is && !is.version)) uncovered.push(path)
    else if (was?.version?.hash !== is?.version?.hash || was?.version?.mode !== is?.version?.mode)
      changes.push({
        path,
        ...(was?.version && { before: was.version }),
        ...(is?.version && { after: is.version }),
      })
  }
  return { changes, uncovered }
}
