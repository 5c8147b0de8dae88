/**
 * The indexes of all projects in one folder. Those of unused projects are deleted: an index can be made
 * again at any time, and a disk full of them cannot be wanted.
 */
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const KEPT = 20
const KEPT_BYTES = 2 * 1024 ** 3

/** Keeps `current`, which counts as used now, and those used last; never fails. */
export async function pruneIndexes(folder: string, current: string): Promise<void> {
  const now = new Date()
  await utimes(current, now, now).catch(() => undefined)
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(
    names.filter((name) => name.endsWith('.db')).map((name) => look(folder, name)),
  )
  let bytes = 0
  const others = found.flat().filter(({ path }) => path !== current)
  for (const [place, { path, size }] of others.toSorted((a, b) => b.usedAt - a.usedAt).entries()) {
    bytes += size
    if (place < KEPT - 1 && bytes <= KEPT_BYTES) continue
    for (const suffix of ['', '-wal', '-shm'])
      await rm(`${path}${suffix}`, { force: true }).catch(() => undefined)
  }
}

async function look(folder: string, name: string) {
  const path = join(folder, name)
  const info = await stat(path).catch(() => undefined)
  return info ? [{ path, size: info.size, usedAt: info.mtimeMs }] : []
}
