/**
 * Everything in a folder, and one hash over all of it: names, modes and bytes. What was hashed is what is used, so it
 * cannot change in between. Links are refused: what they point to may change without the hash.
 */
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../protocol/error.ts'
import { errnoOf, storageError } from '../lib/atomic-write.ts'
import { readRegular } from '../lib/read-regular.ts'

type FolderFile = { readonly path: string; readonly bytes: Buffer; readonly isExecutable: boolean }

export type FolderContent = { readonly hash: string; readonly files: readonly FolderFile[] }

/** Files and folders. */
const MAX_ENTRIES = 500
const MAX_BYTES = 10 * 1024 * 1024

export async function readFolder(folder: string): Promise<FolderContent> {
  const files: FolderFile[] = []
  let entries = 0
  let bytes = 0
  const walk = async (under: string): Promise<void> => {
    const names = await readdir(join(folder, under)).catch((error: unknown) => {
      throw storageError(join(folder, under), error)
    })
    for (const name of names.toSorted()) {
      const path = under === '' ? name : `${under}/${name}`
      const info = await lstat(join(folder, path))
      if (!info.isDirectory()) bytes += info.size
      if (++entries > MAX_ENTRIES || bytes > MAX_BYTES)
        throw refused(folder, `it has over ${MAX_ENTRIES} files or ${MAX_BYTES / 1024 ** 2} MiB`)
      if (info.isDirectory()) {
        await walk(path)
        continue
      }
      if (!info.isFile()) throw refused(folder, `${path} is a link or a special file`)
      const file = await readRegular(join(folder, path), MAX_BYTES)
      if (!file) throw refused(folder, `${path} changed while it was read`)
      files.push({ path, bytes: file.bytes, isExecutable: (file.mode & 0o111) !== 0 })
    }
  }
  await walk('')
  return { hash: hashOf(files), files }
}

const refused = (folder: string, why: string): AppError =>
  new AppError('config-invalid', `${folder} cannot be used: ${why}.`)

function hashOf(files: readonly FolderFile[]): string {
  const hash = createHash('sha256')
  for (const { path, bytes, isExecutable } of files) {
    // Lengths first: no two lists of files run together into the same bytes.
    hash.update(`${Buffer.byteLength(path)}:${path}:${isExecutable ? 'x' : '-'}:${bytes.length}:`)
    hash.update(bytes)
  }
  return hash.digest('hex')
}

/** Names of the folders in a folder, hidden ones left out; none where it does not exist. */
export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
    throw storageError(folder, error)
  })
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted()
}
