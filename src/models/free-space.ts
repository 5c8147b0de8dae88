import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from '../lib/atomic-write.ts'

/** Bytes free for us where `folder` is or would be made; nothing when the system does not say. */
export async function freeSpace(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    const parent = dirname(folder)
    return errnoOf(error) === 'ENOENT' && parent !== folder ? freeSpace(parent) : undefined
  }
}
