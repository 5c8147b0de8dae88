/**
 * What bubblewrap leaves behind. To cover a path that does not exist it makes an empty file or folder on the real disk and
 * never removes it. They are removed here once no sandbox covers them any more: removing one that is in use, also by
 * another process, would take its cover away.
 */
import { readdir, readFile, rmdir, unlink } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { isStub } from './protected-paths.ts'

export type Stubs = {
  /** Says that these are about to be covered; what it returns takes that back and cleans up. */
  hold(paths: readonly string[]): () => Promise<void>
  /** Those that are there now because of us. */
  list(): Promise<readonly string[]>
}

export function createStubs(): Stubs {
  const held = new Map<string, number>()
  return {
    async list() {
      const covered = [...held].filter(([, count]) => count > 0).map(([path]) => path)
      const isOurs = await Promise.all(covered.map(isStub))
      return covered.filter((_, index) => isOurs[index])
    },
    hold(paths) {
      for (const path of paths) held.set(path, (held.get(path) ?? 0) + 1)
      return async () => {
        for (const path of paths) held.set(path, (held.get(path) ?? 1) - 1)
        await removeUnused(paths.filter((path) => held.get(path) === 0))
      }
    },
  }
}

/** How long to wait between two looks: a sandbox that has ended needs a moment to be gone. */
const PAUSES_MS = [0, 5, 5, 10, 20, 40, 80, 160, 320, 640]

async function removeUnused(paths: readonly string[]): Promise<void> {
  let left = paths
  for (const ms of PAUSES_MS) {
    if (left.length === 0) return
    await pause(ms)
    const covered = await coveredPaths()
    await Promise.all(left.filter((path) => !covered.has(path)).map(remove))
    left = left.filter((path) => covered.has(path))
  }
}

/** Only what is still as empty as it was made. */
async function remove(path: string): Promise<void> {
  if (!(await isStub(path))) return
  await rmdir(path).catch(() => unlink(path).catch(() => undefined))
}

/** Every path that some bubblewrap of this machine has covered. */
async function coveredPaths(): Promise<ReadonlySet<string>> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const tables = await Promise.all(processes.map(mountsOf))
  return new Set(tables.flat())
}

async function mountsOf(process: string): Promise<readonly string[]> {
  const name = await readFile(`/proc/${process}/comm`, 'utf8').catch(() => '')
  if (name.trim() !== 'bwrap') return []
  const table = await readFile(`/proc/${process}/mountinfo`, 'utf8').catch(() => '')
  return table.split('\n').map((line) => decodeOctal(line.split(' ')[4] ?? ''))
}

const decodeOctal = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
