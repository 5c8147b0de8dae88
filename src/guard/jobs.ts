/**
 * Commands that run in the background: started so, or grown out of one that reached its time limit, or left behind by one
 * that ended. All of them end with the session.
 */
import { AppError } from '../protocol/error.ts'
import type { Job } from '../protocol/tool.ts'
import type { RunningProcess } from '../lib/process.ts'

export interface Jobs {
  adopt(command: string, process: RunningProcess): Job
  poll(id: string): { readonly job: Job; readonly output: string }
  stop(id: string): Promise<Job>
  list(): readonly Job[]
  close(): Promise<void>
}

/** A model that starts jobs in a loop must not fill the machine. */
const MAX_RUNNING = 16

/** Ended jobs are remembered until they are this many. */
const MAX_ENDED = 32

type Entry = { job: Job; readonly process: RunningProcess }

export function createJobs(now: () => number = Date.now): Jobs {
  const entries = new Map<string, Entry>()
  let count = 0

  return {
    adopt(command, process) {
      const id = `job-${++count}`
      const job: Job = { id, command, startedAt: now(), state: 'running' }
      entries.set(id, { job, process })
      process.ended.then(
        ({ exitCode }) => remember(id, exitCode),
        () => remember(id, undefined),
      )
      forgetOldest(entries)
      return job
    },
    poll(id) {
      const entry = requireEntry(id, entries)
      return { job: current(entry), output: entry.process.take().text }
    },
    async stop(id) {
      const entry = requireEntry(id, entries)
      await entry.process.stop()
      return current(entry)
    },
    list: () => [...entries.values()].map(current),
    async close() {
      await Promise.all([...entries.values()].map(({ process }) => process.stop()))
    },
  }

  function remember(id: string, exitCode: number | undefined): void {
    const entry = entries.get(id)
    if (entry && exitCode !== undefined) entry.job = { ...entry.job, exitCode }
  }
}

/** Throws when one more would be too many. */
export function requireRoom(jobs: readonly Job[]): void {
  const running = jobs.filter(({ state }) => state === 'running')
  if (running.length < MAX_RUNNING) return
  throw new AppError(
    'tool-failed',
    `${running.length} jobs are running; stop one with job_stop first: ${names(running)}.`,
  )
}

const names = (jobs: readonly Job[]): string => jobs.map(({ id }) => id).join(', ')

function requireEntry(id: string, entries: ReadonlyMap<string, Entry>): Entry {
  const entry = entries.get(id)
  if (entry) return entry
  const known = names([...entries.values()].map(({ job }) => job))
  throw new AppError('tool-failed', known ? `No job ${id}; there are: ${known}.` : 'There are no jobs.')
}

const current = ({ job, process }: Entry): Job => ({
  ...job,
  state: process.isRunning() ? 'running' : 'ended',
})

function forgetOldest(entries: Map<string, Entry>): void {
  const ended = [...entries].filter(([, { process }]) => !process.isRunning())
  for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) entries.delete(id)
}
