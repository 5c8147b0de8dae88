/**
 * What the project's files held when they were last looked at. A command does not say what it changes, so the files
 * are looked at before it and after it; only those whose times or size differ are read. Bounded in files, bytes and
 * time: what is beyond is named as not covered, never half covered.
 */
import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { errnoOf, isTemporary } from '../lib/atomic-write.ts'
import { readRegular } from '../lib/read-regular.ts'
import { plural } from '../lib/text.ts'
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
type Entry = {
  readonly stamp: string
  /** Stays with a file that is moved. */
  readonly inode: string
  readonly bornMs: number
  readonly changedMs: number
  readonly bytes: number
  readonly version?: FileVersion
}

type Seen = { readonly at: number; readonly entries: Map<string, Entry> }

export type ShadowState = { readonly at: number; readonly entries: Readonly<Record<string, Entry>> }

/** Where there were too many files, asking again before every command would hold each of them up. */
const BEYOND_MS = 600_000

export class Shadow {
  readonly #parts: ShadowParts
  readonly #limits: ShadowLimits
  #seen: Seen | undefined
  #beyondSince: number | undefined

  constructor(parts: ShadowParts) {
    this.#parts = parts
    this.#limits = { ...usualLimits, ...parts.limits }
  }

  /**
   * What differs from the look before; after the first look, and after one that failed, nothing does. Where there are
   * too many files by now, those that were known are still compared. Changes after `until` belong to others.
   */
  async look(signal: AbortSignal, until = Number.POSITIVE_INFINITY): Promise<Look> {
    const at = Date.now()
    const before = this.#seen
    // Forgotten until this look has succeeded: compared with an older one, a person's own work would seem to be a
    // command's.
    this.#seen = undefined
    const known = before?.entries ?? new Map<string, Entry>()
    const listed = this.#isBeyond(at) ? undefined : await this.#parts.list(signal)
    // Known ones also where the list leaves them out: to be ignored from now on is not to be gone.
    const paths = listed && new Set([...known.keys(), ...listed.filter((path) => !isTemporary(path))])
    const isWhole = paths !== undefined && paths.size <= this.#limits.files
    const entries = await this.#scan([...(isWhole ? paths : known.keys())], known, signal)
    if (isWhole) this.#seen = { at, entries }
    else this.#beyondSince ??= at
    return { ...(before ? differences(before, entries, until) : NOTHING), isWhole }
  }

  /** A file was written by us: that is no surprise at the next look. */
  async note(path: string): Promise<void> {
    const entries = this.#seen?.entries
    if (!entries) return
    const entry = await this.#entryOf(path, undefined, Infinity)
    if (entry) entries.set(path, entry)
    else entries.delete(path)
  }

  /** Nothing where nothing is known: that is not the same as a project without files. */
  state(): ShadowState | undefined {
    return this.#seen && { at: this.#seen.at, entries: Object.fromEntries(this.#seen.entries) }
  }

  /** The state before another process crashed. */
  restore({ at, entries }: ShadowState): void {
    this.#seen = { at, entries: new Map(Object.entries(entries)) }
  }

  #isBeyond(now: number): boolean {
    const passed = now - (this.#beyondSince ?? Number.NEGATIVE_INFINITY)
    if (passed >= 0 && passed < BEYOND_MS) return true
    this.#beyondSince = undefined
    return false
  }

  async #scan(
    paths: readonly string[],
    known: ReadonlyMap<string, Entry>,
    signal: AbortSignal,
  ): Promise<Map<string, Entry>> {
    const deadline = Date.now() + this.#limits.ms
    const entries = new Map<string, Entry>()
    let bytes = 0
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      signal.throwIfAborted()
      // Others get their turn between two portions.
      await setImmediate()
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
    const info = infoOf(real)
    if (info === 'unreachable') return known
    if (!info?.isFile()) return undefined
    const stamp = stampOf(info)
    const bytes = Number(info.size)
    if (known?.stamp === stamp && known.version) return known
    const entry = { stamp, inode: `${info.dev} ${info.ino}`, ...timesOf(info), bytes }
    if (bytes > Math.min(this.#limits.fileBytes, room) || !isKept(path)) return entry
    const file = await readRegular(real, this.#limits.fileBytes).catch(() => undefined)
    if (!file) return entry
    return { ...entry, version: { hash: await blobs.put(file.bytes), mode: Number(info.mode) & 0o7777 } }
  }
}

const AT_ONCE = 64
const NOTHING = { changes: [], uncovered: [] }

/** At once: for thousands of files the way through the thread pool takes three times as long. */
function infoOf(real: string): BigIntStats | 'unreachable' | undefined {
  try {
    return lstatSync(real, { bigint: true })
  } catch (error) {
    return isMissing(error) ? undefined : 'unreachable'
  }
}

/** Any other refusal says nothing about whether it is there. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')

const stampOf = ({ size, mtimeNs, ctimeNs, ino, mode }: BigIntStats): string =>
  [size, mtimeNs, ctimeNs, ino, mode].join(' ')

/** Some file systems do not know when a file was made; then its last change is the best guess. */
const timesOf = ({ birthtimeNs, ctimeNs }: BigIntStats): Pick<Entry, 'bornMs' | 'changedMs'> => ({
  bornMs: Number((birthtimeNs || ctimeNs) / 1_000_000n),
  changedMs: Number(ctimeNs / 1_000_000n),
})

function differences(before: Seen, after: ReadonlyMap<string, Entry>, until: number): Omit<Look, 'isWhole'> {
  const changes: FileChange[] = []
  const uncovered: string[] = []
  const onlySeenNow: string[] = []
  const isMade = madeSince(before, after)
  for (const path of new Set([...before.entries.keys(), ...after.keys()])) {
    const [was, is] = [before.entries.get(path), after.get(path)]
    if (was?.stamp === is?.stamp) continue
    if (!was && is && !isMade(is)) onlySeenNow.push(path)
    else if (is && is.changedMs > until) uncovered.push(`${path}, which was changed afterwards`)
    else if ((was && !was.version) || (is && !is.version)) uncovered.push(path)
    else if (was?.version?.hash !== is?.version?.hash || was?.version?.mode !== is?.version?.mode)
      changes.push({
        path,
        ...(was?.version && { before: was.version }),
        ...(is?.version && { after: is.version }),
      })
  }
  return { changes, uncovered: [...uncovered, ...inWords(onlySeenNow)] }
}

/** The clock that stamps files may be a tick behind ours. */
const TICK_MS = 20

/**
 * Whether a file that was not seen before was made since, so that undoing may remove it. It may as well have been
 * ignored, or out of reach, until now: then it is the person's. In doubt it is.
 */
function madeSince(before: Seen, after: ReadonlyMap<string, Entry>): (entry: Entry) => boolean {
  const gone = [...before.entries].filter(([path]) => !after.has(path))
  const moved = new Set(gone.map(([, { inode }]) => inode))
  const rulesChanged = [...before.entries].some(
    ([path, { stamp }]) => isIgnoreFile(path) && after.get(path)?.stamp !== stamp,
  )
  return ({ inode, bornMs: born }) => (born >= before.at - TICK_MS ? !rulesChanged : moved.has(inode))
}

const isIgnoreFile = (path: string): boolean => /(?:^|\/)\.(?:git|rg)?ignore$/.test(path)

const inWords = (paths: readonly string[]): readonly string[] =>
  paths.length === 0
    ? []
    : [`${plural(paths.length, 'file')} seen only now, such as ${paths[0]}, that may be yours`]
