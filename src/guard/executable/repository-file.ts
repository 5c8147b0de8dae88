/**
 * Whether writing a file makes or changes a repository that is not called `.git`: git takes every folder with `HEAD`,
 * `objects` and `refs` for one and runs what its configuration and hooks name.
 */
import { lstat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isInside, toPosix } from '../../lib/path.ts'
import { recogniseInRepository } from './recognise.ts'

/** `real` inside `root`, both without links. */
export async function isRepositoryFile(real: string, root: string): Promise<boolean> {
  const path = toPosix(relative(root, real))
  if (/(?:^|\/)head$/i.test(path)) return true
  if (!recogniseInRepository(path)) return false
  for (let folder = dirname(real); isInside(root, folder); folder = dirname(folder)) {
    const isPart = recogniseInRepository(toPosix(relative(folder, real))) !== undefined
    if (isPart && (await exists(join(folder, 'HEAD')))) return true
    if (folder === dirname(folder)) return false
  }
  return false
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
