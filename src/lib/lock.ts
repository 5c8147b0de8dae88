/**
 * One writer per folder. The name of a lock file says which process holds it (`lock-<pid>-<start>-...`), so a file left
 * by a dead process can be deleted without the race of deleting another's. A process that wants the lock first puts
 * up its own file and then looks for others: of two who try at once at least one sees the other and steps back.
 */
import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../protocol/error.ts'
import { errnoOf, storageError } from './atomic-write.ts'
import { ensureFolder } from './ensure-folder.ts'

export type Lock = { release(): Promise<void> }

/** Throws `session-busy` with the text of `busy` when a living process, this one included, holds the lock. */
export async function acquireLock(folder: string, busy: (pid: number) => string): Promise<Lock> {
  const name = `lock-${process.pid}-${await ownStart()}-${randomBytes(4).toString('hex')}`
  for (let attempt = 1; ; attempt++) {
    const holder = await claim(folder, name)
    if (holder === undefined) return { release: () => takeDown(folder, name) }
    if (attempt === ATTEMPTS) throw new AppError('session-busy', busy(holder))
    // The other may be stepping back as well; uneven pauses let one of them through.
    await delay(5 + Math.random() * 20)
  }
}

const ATTEMPTS = 3

/** The living process that holds the lock of a folder, if any. */
export const holderOf = (folder: string): Promise<number | undefined> =>
  otherHolder(folder, '').catch(() => undefined)

/**
 * The right to replace one file, waited for: each holder keeps it for a moment. The lock lies in a folder beside the
 * file; that of the file must be there.
 */
export async function waitForLock(
  path: string,
  busy: (pid: number) => string = (pid) => `${path} is being written by process ${pid}; try again.`,
): Promise<Lock> {
  const folder = `${path}.lock`
  await ensureFolder(folder)
  for (let waited = 1; ; waited++) {
    try {
      return await acquireLock(folder, busy)
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'session-busy'
      if (!isBusy || waited === WAITS) throw error
      await delay(10 + Math.random() * 30)
    }
  }
}

const WAITS = 150

/** Files of this process: where no start time is known, its pid alone does not say that they are its own. */
const ownFiles = new Set<string>()

async function claim(folder: string, name: string): Promise<number | undefined> {
  try {
    ownFiles.add(name)
    await (await open(join(folder, name), 'wx', 0o600)).close()
    const holder = await otherHolder(folder, name)
    if (holder !== undefined) await takeDown(folder, name)
    return holder
  } catch (error) {
    // What keeps it from being put up may keep it from being looked for, too; the first reason is the one to tell.
    await takeDown(folder, name).catch(() => undefined)
    throw storageError(folder, error)
  }
}

/** Files of this process that it let go and could not remove; the next holder does. */
const leftFiles = new Set<string>()

async function takeDown(folder: string, name: string): Promise<void> {
  ownFiles.delete(name)
  leftFiles.add(name)
  await rm(join(folder, name), { force: true }).catch((error: unknown) => {
    throw storageError(join(folder, name), error)
  })
  leftFiles.delete(name)
}

/** Another living process with a file here, if any; files of dead ones are cleared away. */
async function otherHolder(folder: string, own: string): Promise<number | undefined> {
  for (const name of await readdir(folder)) {
    const [, pid, start] = /^lock-(\d+)-(\d+)-[0-9a-f]+$/.exec(name) ?? []
    if (name === own || pid === undefined || start === undefined) continue
    const isHeld = ownFiles.has(name) || (!leftFiles.has(name) && (await isAlive(Number(pid), start)))
    if (isHeld) return Number(pid)
    await rm(join(folder, name), { force: true })
    leftFiles.delete(name)
  }
  return undefined
}

async function isAlive(pid: number, start: string): Promise<boolean> {
  const found = await processStart(pid)
  if (found === 'ended') return false
  if (found !== undefined && start !== NO_START) return found === start
  // Without start times, or where /proc is hidden, a living pid has to be believed; our own we know better.
  return pid !== process.pid && isRunning(pid)
}

const NO_START = '0'

const ownStart = async (): Promise<string> => {
  const start = await processStart(process.pid)
  return start === undefined || start === 'ended' ? NO_START : start
}

/** When the kernel started it, in its own ticks: together with the pid this names one process for ever. */
async function processStart(pid: number): Promise<string | 'ended' | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  if (stat === undefined) return undefined
  // The program's name is in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A zombie has ended; only its parent has not noticed.
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19]
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}
