/**
 * Changes to covey's own model folder: a file brought in, a file or an unfinished download taken out. What lies in
 * another program's folder is never touched.
 */
import { constants, copyFile, lstat, mkdir, open, readdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { errnoOf, storageError, syncFolder } from '../../lib/atomic-write.ts'
import { readGguf } from '../../lib/gguf/header.ts'
import { acquireLock, type Lock } from '../../lib/lock.ts'
import { AppError } from '../../protocol/error.ts'
import { PARTIAL_SUFFIX, partialFolder } from '../download.ts'
import { freeSpace } from '../free-space.ts'
import type { LocalModel } from './model.ts'
import { GIB } from '../memory.ts'
import { dataFile } from '../partial.ts'

/**
 * Copies a file into covey's folder, or links to it; it must be a GGUF file that can be read. Returns its new place.
 */
export async function importModel(
  path: string,
  folder: string,
  { link }: { readonly link: boolean },
): Promise<string> {
  const { bytes } = await readGguf(path)
  const name = /\.gguf$/i.test(path) ? basename(path) : `${basename(path)}.gguf`
  const target = join(folder, name)
  if (await lstat(target).catch(() => undefined)) {
    const text = `${target} is there already; remove it first: covey models rm ${name}`
    throw new AppError('config-invalid', text)
  }
  try {
    await mkdir(folder, { recursive: true })
    if (link) await symlink(resolve(path), target)
    else await copyInto(path, target, bytes)
  } catch (error) {
    throw storageError(target, error)
  }
  return target
}

async function copyInto(path: string, target: string, bytes: number): Promise<void> {
  const free = await freeSpace(dirname(target))
  if (free !== undefined && free < bytes) {
    const missing = ((bytes - free) / GIB).toFixed(1)
    const text = `${dirname(target)} lacks ${missing} GiB for a copy; use --link, or make room.`
    throw new AppError('storage-failed', text)
  }
  const partial = partialFolder(target)
  await mkdir(partial, { recursive: true })
  const lock = await lockPartial(target)
  try {
    await copyFile(path, dataFile(partial), constants.COPYFILE_FICLONE)
    await syncFile(dataFile(partial))
    await rename(dataFile(partial), target)
    await syncFolder(dirname(target))
  } finally {
    await rm(partial, { recursive: true, force: true })
    await lock.release()
  }
}

/** A process that downloads or copies this file holds the same lock. */
const lockPartial = (target: string): Promise<Lock> =>
  acquireLock(
    partialFolder(target),
    (pid) => `${basename(target)} is being fetched by process ${pid}; wait for it, or stop it first.`,
  )

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Deletes a file of covey's own folder; of a linked one only the link. Others' files are theirs to delete. */
export async function removeModel({ id, name, path, source }: LocalModel): Promise<void> {
  if (source === 'covey') return rm(path)
  const owner = source === 'ollama' ? 'Ollama' : 'LM Studio'
  const how = source === 'ollama' ? `ollama rm ${name}` : 'in its list of models'
  throw new AppError('permission-denied', `${id} belongs to ${owner}; remove it there: ${how}.`)
}

/** Names of the files whose download was begun and not finished. */
export async function listUnfinished(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw storageError(folder, error)
  })
  return names.flatMap((name) => (name.endsWith(PARTIAL_SUFFIX) ? name.slice(0, -PARTIAL_SUFFIX.length) : []))
}

/** Throws `session-busy` while another process is still writing it. */
export async function removeUnfinished(folder: string, name: string): Promise<void> {
  const target = join(folder, basename(name))
  const lock = await lockPartial(target)
  try {
    await rm(partialFolder(target), { recursive: true, force: true })
  } finally {
    await lock.release()
  }
}
