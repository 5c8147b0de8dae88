import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf, storageError } from './atomic-write.ts'

/**
 * Makes a folder and those above it, for their owner's eyes only. Node's own way says "no such file" where a disk is
 * read-only, and tries for ever where the system makes no folders at all (under /proc).
 */
export async function ensureFolder(path: string): Promise<void> {
  try {
    await make(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw storageError(path, error)
    await ensureFolder(dirname(path))
    await make(path).catch((again: unknown) => {
      throw storageError(path, again)
    })
  }
}

async function make(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const isThere = errnoOf(error) === 'EEXIST' && (await stat(path)).isDirectory()
    if (!isThere) throw error
  }
}
