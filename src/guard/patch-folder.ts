/**
 * `.covey/patches` as files of its own. What lies there decides nothing until a person applies it, so writing it needs no
 * question, in a session that only reads neither; the rest of `.covey` stays as closed as before. Only whoever is handed
 * this can write there: for file tools and commands the folder is governance like its parent.
 */
import { mkdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../protocol/error.ts'
import type { Files } from '../protocol/tool.ts'
import { storageError } from '../lib/atomic-write.ts'
import { containPath } from './contain.ts'
import { createFiles } from './files.ts'

/** Makes it where it is missing, and keeps it out of commits. */
export async function makePatchFolder(root: string): Promise<Files> {
  const folder = await requirePlace(root)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw storageError(folder, error)
  })
  const files = createFiles({ root: folder })
  if (!(await files.info('.gitignore'))) await files.write('.gitignore', '*\n')
  return files
}

/** `undefined` where nothing was ever proposed. */
export async function findPatchFolder(root: string): Promise<Files | undefined> {
  const folder = await requirePlace(root)
  const info = await stat(folder).catch(() => undefined)
  return info?.isDirectory() ? createFiles({ root: folder }) : undefined
}

/** No link may lead it elsewhere. Asked each time: what was a folder may have become a link. */
async function requirePlace(root: string): Promise<string> {
  const folder = join(await realpath(root), '.covey', 'patches')
  const { ok, real } = await containPath(folder, { roots: [root], operation: 'read' })
  if (ok && real === folder) return folder
  throw new AppError(
    'permission-denied',
    `${folder} leads elsewhere through a link; remove the link first.`,
    {
      failure: 'denied',
    },
  )
}
