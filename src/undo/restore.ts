/**
 * Puts files back. A file is replaced only while it is what the run left; whatever else is there is somebody's work, stays,
 * and the version that was wanted is laid aside. Interrupted in the middle, the same can be asked for again.
 */
import { lstat, mkdir, readdir, readFile, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeAtomic } from '../lib/atomic-write.ts'
import { isInside } from '../lib/path.ts'
import { errorMessage } from '../protocol/error.ts'
import type { Conflict, FileVersion } from '../protocol/undo.ts'
import { type Blobs, hashOf } from './blobs.ts'
import type { FileChange } from './journal.ts'

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

type Step = 'nothing' | 'put' | 'conflict'

/** Pure. What is there is compared by content; a mode that somebody changed is no conflict. */
function stepFor(
  { before, after }: Pick<FileChange, 'before' | 'after'>,
  current: string | undefined,
  direction: Direction,
): Step {
  const [target, other] = direction === 'before' ? [before, after] : [after, before]
  if (current === other?.hash) return 'put'
  return current === target?.hash ? 'nothing' : 'conflict'
}

export async function restore(
  changes: readonly FileChange[],
  direction: Direction,
  parts: RestoreParts,
): Promise<{ readonly restored: readonly string[]; readonly conflicts: readonly Conflict[] }> {
  const restored: string[] = []
  const conflicts: Conflict[] = []
  for (const change of changes) {
    const conflict = await restoreOne(change, direction, parts)
    if (conflict) conflicts.push(conflict)
    else restored.push(change.path)
  }
  return { restored, conflicts }
}

async function restoreOne(
  change: FileChange,
  direction: Direction,
  parts: RestoreParts,
): Promise<Conflict | undefined> {
  const { path } = change
  const target = change[direction]
  try {
    const real = await parts.place(path)
    const step = stepFor(change, await currentHash(real), direction)
    if (step === 'conflict') return await layAside(path, target, parts)
    if (step === 'put') await put(real, target, parts)
    return undefined
  } catch (error) {
    return { path, why: errorMessage(error) }
  }
}

/** Of something that is no file, something no file has. */
async function currentHash(real: string): Promise<string | undefined> {
  const info = await lstat(real).catch(() => undefined)
  if (!info) return undefined
  return info.isFile() ? hashOf(await readFile(real)) : 'no file'
}

async function put(real: string, target: FileVersion | undefined, parts: RestoreParts): Promise<void> {
  if (!target) {
    await unlink(real)
    return removeEmpty(dirname(real), parts.root)
  }
  const bytes = await parts.blobs.get(target.hash)
  if (!bytes) throw new Error('its earlier content is not kept any more')
  await mkdir(dirname(real), { recursive: true })
  await writeAtomic(real, bytes, { mode: target.mode })
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
  { blobs, aside }: RestoreParts,
): Promise<Conflict> {
  const why = 'it was changed since'
  const bytes = target && (await blobs.get(target.hash))
  if (!bytes || aside === undefined) return { path, why }
  const kept = join(aside, path)
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 })
  await writeAtomic(kept, bytes, { mode: 0o600 })
  return { path, why, kept }
}
