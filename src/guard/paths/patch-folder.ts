/**
 * `.covey/patches` as files of its own. What lies there decides nothing until a person applies it, so writing it needs
 * no question, not even in a read-only session; the rest of `.covey` stays as closed as before. Only code that is
 * handed this can write there: for file tools and commands the folder is governance like its parent. What is written
 * is noted outside the project by its hash: proposals that came with a repository, or were changed by anybody else,
 * are none.
 */
import { mkdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import type { Files } from '../../protocol/tool.ts'
import { storageError } from '../../lib/atomic-write.ts'
import { shortHash } from '../../lib/hash.ts'
import { containPath } from './contain.ts'
import { createFiles } from './files.ts'
import { type JsonFile, openJsonFile } from '../json-file.ts'

/** Where it is noted what was proposed in a project. */
export const patchRecordOf = (dataFolder: string, root: string): string =>
  join(dataFolder, 'patches', `${shortHash(root)}.json`)

/** Makes it where it is missing, and keeps it out of commits. */
export async function makePatchFolder(root: string, record: string): Promise<Files> {
  const folder = await requirePlace(root)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw storageError(folder, error)
  })
  const files = noted(createFiles({ root: folder }), await openRecord(record))
  if (!(await files.info('.gitignore'))) await files.write('.gitignore', '*\n')
  return files
}

/** `undefined` where nothing was ever proposed. */
export async function findPatchFolder(root: string, record: string): Promise<Files | undefined> {
  const folder = await requirePlace(root)
  const info = await stat(folder).catch(() => undefined)
  return info?.isDirectory() ? noted(createFiles({ root: folder }), await openRecord(record)) : undefined
}

/** By path in the folder, the hash of what was written there last. */
type Written = Readonly<Record<string, string>>

const openRecord = (path: string): Promise<JsonFile<Written>> =>
  openJsonFile<Written>(path, z.record(z.string(), z.string()), {})

const noted = (files: Files, record: JsonFile<Written>): Files => ({
  ...files,
  async read(path, signal) {
    const text = await files.read(path, signal)
    if (record.value()[path] === shortHash(text)) return text
    throw new AppError('permission-denied', `${path} was not written by Covey on this machine.`, {
      failure: 'denied',
    })
  },
  async write(path, text) {
    await record.update((written) => ({ ...written, [path]: shortHash(text) }))
    await files.write(path, text)
  },
})

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
