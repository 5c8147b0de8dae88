/**
 * Replacing a file so that a reader, a crash or a power cut sees the old content or the new one, never a mixture:
 * temporary file in the same folder, fsync, rename, fsync of the folder. A link at `path` is replaced, not followed;
 * a caller that wants the file behind it resolves it first.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, errorMessage } from '../protocol/error.ts'

export type AtomicWriteOptions = {
  /** Permission bits of the new file; absent = those of the file it replaces, or 0644. */
  readonly mode?: number
}

export async function writeAtomic(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const folder = dirname(path)
  const temporary = join(folder, `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const mode = options.mode ?? (await modeOf(path)) ?? 0o644
    // No other user may read it before it has its final mode, and 'wx' follows no link that was planted under its name.
    await fill(await open(temporary, 'wx', 0o600), data, mode)
    await rename(temporary, path)
    await syncFolder(folder)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw storageError(path, error)
  }
}

/** Whether a file is one that stands beside another for a moment while that is replaced. */
export const isTemporary = (path: string): boolean => /(?:^|\/)\.[^/]*\.[0-9a-f]{12}\.tmp$/.test(path)

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o7777
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function fill(handle: FileHandle, data: string | Uint8Array, mode: number): Promise<void> {
  try {
    await handle.writeFile(data)
    await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a new or changed name in the folder durable. Windows cannot open a folder and keeps names by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r').catch((error: unknown) => {
    throw storageError(folder, error)
  })
  try {
    await handle.sync()
  } catch (error) {
    // Some network and FUSE file systems refuse to sync a folder; the rename itself has happened.
    if (errnoOf(error) !== 'EINVAL' && errnoOf(error) !== 'ENOTSUP') throw storageError(folder, error)
  } finally {
    await handle.close()
  }
}

/** A refusal of the disk, in words a person can act on. */
export function storageError(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error
  const code = errnoOf(error)
  const advice = code === undefined ? undefined : ADVICE[code]
  const why = advice ? `${advice} (${code})` : errorMessage(error)
  return new AppError('storage-failed', `Cannot use ${path}: ${why}`, { cause: error })
}

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk; free some and try again, what was written before is kept',
  EDQUOT: 'the disk quota is used up; free some space and try again, what was written before is kept',
  EROFS: 'the file system is read-only; choose a data folder that can be written, or use --incognito',
  EACCES: 'permission denied; correct the owner or mode of the file and its folder, or use --incognito',
  EPERM: 'operation not permitted; correct the owner or mode of the file and its folder, or use --incognito',
  EMFILE: 'this process has too many open files; raise `ulimit -n` and try again',
  ENFILE: 'the system has too many open files; close some programs and try again',
  EIO: 'the disk reported an error; check it before going on',
}
