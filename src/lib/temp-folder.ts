/**
 * Folders that last as long as the process that made them. One that is killed cannot remove its own, so the next that makes
 * one removes those of processes that are gone.
 */
import { mkdtempSync, readlinkSync, realpathSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `kind` says in its name what it is for. The caller removes it. */
export function makeTempFolder(kind: string): string {
  const above = realpathSync(tmpdir())
  // What cannot be read or removed belongs to another user.
  sweeping ??= removeAbandoned(above).catch(() => undefined)
  return mkdtempSync(join(above, `covey-${kind}-${namespaceOf()}-${process.pid}-`))
}

/** Once for each process. */
let sweeping: Promise<void> | undefined

export async function removeAbandoned(above: string): Promise<void> {
  const namespace = namespaceOf()
  for (const name of await readdir(above)) {
    const [, place, pid] = /^covey-[a-z]+-(\d+)-(\d+)-[^-]+$/.exec(name) ?? []
    if (place !== namespace || isRunning(Number(pid))) continue
    await rm(join(above, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** In a container that shares the folder with its host the same number is another process. */
function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
