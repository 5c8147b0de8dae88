/**
 * One writer per folder. The name of a lock file says which process holds it (`lock-<pid>-<start>-<n>`), so a file left
 * by a dead process can be deleted without the old race of deleting somebody else's. Whoever wants the lock first puts
 * up its own file and then looks for others: of two who try at once at least one sees the other and steps back.
 */
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../protocol/error.ts'
import { storageError } from './atomic-write.ts'

export type Lock = { release(): Promise<void> }

/** Throws `session-busy` with the text of `busy` when a living process, this one included, holds the lock. */
export async function acquireLock(folder: string, busy: (pid: number) => string): Promise<Lock> {
  const name = `lock-${process.pid}-${await ownStart()}-${++taken}`
  const path = join(folder, name)
  held.add(path)
  for (let attempt = 1; ; attempt++) {
    const holder = await claim(folder, name)
    if (holder === undefined) return { release: () => release(path) }
    // The other may be stepping back as well; uneven pauses let one of them through.
    if (attempt < ATTEMPTS) await delay(5 + Math.random() * 20)
    else {
      held.delete(path)
      throw new AppError('session-busy', busy(holder))
    }
  }
}

/** The process that holds the lock, if any does. Files of dead processes are cleared away. */
export async function lockHolder(folder: string): Promise<number | undefined> {
  return otherHolder(folder, undefined)
}

const ATTEMPTS = 3

/** Locks of this process: its own pid says nothing about whether a file is still meant. */
const held = new Set<string>()
let taken = 0

async function claim(folder: string, name: string): Promise<number | undefined> {
  const path = join(folder, name)
  try {
    await (await open(path, 'wx', 0o600)).close()
    const holder = await otherHolder(folder, name)
    if (holder !== undefined) await rm(path, { force: true })
    return holder
  } catch (error) {
    held.delete(path)
    throw storageError(path, error)
  }
}

async function otherHolder(folder: string, own: string | undefined): Promise<number | undefined> {
  for (const name of await readdir(folder)) {
    const [, pid, start] = /^lock-(\d+)-(\d+)-\d+$/.exec(name) ?? []
    if (name === own || pid === undefined || start === undefined) continue
    if (await isHeld(join(folder, name), Number(pid), start)) return Number(pid)
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

async function isHeld(path: string, pid: number, start: string): Promise<boolean> {
  if (pid === process.pid && start === (await ownStart())) return held.has(path)
  const found = await processStart(pid)
  if (found === 'ended') return false
  // Without a start time, or where /proc is hidden, a living pid has to be believed.
  if (found !== undefined && start !== NO_START) return found === start
  return isRunning(pid)
}

async function release(path: string): Promise<void> {
  await rm(path, { force: true })
  held.delete(path)
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
  // The program's name stands in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A zombie has ended; only its parent has not noticed.
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19]
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
