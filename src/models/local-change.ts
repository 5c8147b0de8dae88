/**
 * Changes to covey's own model folder: a file brought in, a file or an unfinished download taken out. What lies in
 * another program's folder is never touched.
 */
import { constants, copyFile, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errnoOf, storageError } from '../lib/atomic-write.ts'
import { readGguf } from '../lib/gguf.ts'
import { AppError } from '../protocol/error.ts'
import { PARTIAL_SUFFIX, partialFolder } from './download.ts'
import { freeSpace } from './free-space.ts'
import type { LocalModel } from './local-model.ts'
import { GIB } from './memory.ts'

/** Copies a file into covey's folder, or links to it; it must be a GGUF file that can be read. Returns its new place. */
export async function importModel(
  path: string,
  folder: string,
  { link }: { readonly link: boolean },
): Promise<string> {
  const { bytes } = await readGguf(path)
  const name = /\.gguf$/i.test(path) ? basename(path) : `${basename(path)}.gguf`
  const target = join(folder, name)
  if (await stat(target).catch(() => undefined)) {
    const text = `${target} is there already; remove it first: covey models rm ${name}`
    throw new AppError('config-invalid', text)
  }
  try {
    await mkdir(folder, { recursive: true })
    if (link) await symlink(path, target)
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
  const temporary = `${target}.import`
  try {
    await copyFile(path, temporary, constants.COPYFILE_FICLONE)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
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

export const removeUnfinished = (folder: string, name: string): Promise<void> =>
  rm(partialFolder(join(folder, name)), { recursive: true, force: true })
