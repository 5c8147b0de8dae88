/**
 * Puts files back. A file is replaced only while it is what the run left; any other content is the user's work, stays,
 * and the version that was wanted is laid aside. What is replaced is kept as well, so that it can come back.
 * Interrupted in the middle, the same can be asked for again.
 */
import { lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { isInside } from '../lib/path.ts'
import { readRegular } from '../lib/read-regular.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Conflict, FileVersion } from '../protocol/undo.ts'
import { type Blobs, hashOf, MAX_KEPT } from './blobs.ts'
import { inHeldFolder } from '../lib/held-folder.ts'
import type { FileChange } from './journal.ts'
import { isMissing } from './shadow.ts'

export type RestoreParts = {
  readonly root: string
  readonly blobs: Blobs
  /** Where a path of the project really lies; throws for one that must not be written. */
  place(path: string): Promise<string>
  /** For versions that were not put back; absent = nowhere. */
  readonly aside?: string
}

/** Towards which end of a change. */
export type Direction = 'before' | 'after'

type Moved = {
  readonly restored: readonly string[]
  readonly conflicts: readonly Conflict[]
  /** False where the disk refused something: the same is to be asked for again. */
  readonly isDone: boolean
}

export async function restore(
  changes: readonly FileChange[],
  direction: Direction,
  parts: RestoreParts,
): Promise<Moved> {
  const conflicts = new Map<string, Conflict>()
  let isDone = true
  const tryOne = async (change: FileChange): Promise<void> => {
    try {
      const conflict = await restoreOne(change, direction, parts)
      if (conflict) conflicts.set(change.path, conflict)
    } catch (error) {
      const refusal = refusalOf(error)
      isDone &&= refusal === undefined
      const why = errorMessage(refusal === undefined ? error : storageError(change.path, refusal))
      conflicts.set(change.path, { path: change.path, why })
    }
  }
  // What goes makes room first: a folder may stand where a file was, and a file where a folder was.
  const [going, coming] = [
    changes.filter((each) => !each[direction]),
    changes.filter((each) => each[direction]),
  ]
  for (const some of [...portions(going), ...portions(coming)]) await Promise.all(some.map(tryOne))
  const paths = changes.map(({ path }) => path)
  return {
    restored: paths.filter((path) => !conflicts.has(path)),
    conflicts: paths.flatMap((path) => conflicts.get(path) ?? []),
    isDone,
  }
}

/** Every write waits for the disk; several wait together. */
const AT_ONCE = 16

const portions = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, index) =>
    all.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  )

/** What the disk said, if it was the disk. */
function refusalOf(error: unknown): unknown {
  if (error instanceof AppError) return error.code === 'storage-failed' ? (error.cause ?? error) : undefined
  return errnoOf(error) === undefined ? undefined : error
}

async function restoreOne(
  change: FileChange,
  direction: Direction,
  parts: RestoreParts,
): Promise<Conflict | undefined> {
  const { path } = change
  const target = change[direction]
  const real = await parts.place(path)
  if (real !== join(parts.root, path))
    return layAside(path, target, { ...parts, why: 'a link leads elsewhere' })
  const current = await currentOf(real)
  const step = stepFor(change, current?.hash, direction)
  if (step === 'conflict') return layAside(path, target, { ...parts, why: 'it was changed since' })
  if (step === 'put')
    await put(real, current, { ...parts, target: target && withMode(change, target, current) })
  return undefined
}

type Current = { readonly hash: string; readonly mode: number; readonly bytes?: Uint8Array }

/** Of something that cannot be a version of ours, a hash that no version has. */
async function currentOf(real: string): Promise<Current | undefined> {
  const info = await lstat(real).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (!info) return undefined
  const mode = info.mode & 0o7777
  if (!info.isFile() || info.size > MAX_KEPT) return { hash: 'none of ours', mode }
  const file = await readRegular(real, MAX_KEPT)
  return file ? { hash: hashOf(file.bytes), mode, bytes: file.bytes } : { hash: 'none of ours', mode }
}

type Step = 'nothing' | 'put' | 'conflict'

/** Pure. What is there is compared by content; a changed mode is not a conflict. */
function stepFor(
  { before, after }: Pick<FileChange, 'before' | 'after'>,
  current: string | undefined,
  direction: Direction,
): Step {
  const [target, other] = direction === 'before' ? [before, after] : [after, before]
  if (current === other?.hash) return 'put'
  return current === target?.hash ? 'nothing' : 'conflict'
}

/** A mode that the run did not change may be the person's by now. */
const withMode = (
  { before, after }: FileChange,
  target: FileVersion,
  current: Current | undefined,
): FileVersion => (current && before?.mode === after?.mode ? { ...target, mode: current.mode } : target)

type Put = RestoreParts & { readonly target: FileVersion | undefined }

async function put(real: string, current: Current | undefined, { target, blobs, root }: Put): Promise<void> {
  if (current?.bytes) await blobs.put(current.bytes)
  const bytes = target && (await blobs.get(target.hash))
  if (target && !bytes) throw new Error('its earlier content is not kept any more')
  const folder = dirname(real)
  if (target) await mkdir(folder, { recursive: true })
  await inHeldFolder(folder, async (held) => {
    const place = join(held, basename(real))
    if (target && bytes) await writeAtomic(place, bytes, { mode: target.mode })
    else await unlink(place)
  })
  if (!target) await removeEmpty(folder, root).catch(() => undefined)
}

/** A folder that is empty now was made for what was in it. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  if (folder === root || !isInside(root, folder)) return
  if ((await readdir(folder)).length > 0) return
  await rmdir(folder)
  await removeEmpty(dirname(folder), root)
}

async function layAside(
  path: string,
  target: FileVersion | undefined,
  { blobs, aside, why }: RestoreParts & { readonly why: string },
): Promise<Conflict> {
  const bytes = target && (await blobs.get(target.hash))
  if (!bytes || aside === undefined) return { path, why }
  const kept = join(aside, path)
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 })
  await writeAtomic(kept, bytes, { mode: 0o600 })
  return { path, why, kept }
}
