/**
 * The plan of one project on disk: one JSON file, replaced as a whole under a lock. A killed process leaves the old
 * plan or the new one, and of two processes that change it at once each sees what the other did.
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { ensureFolder } from '../lib/ensure-folder.ts'
import { shortHash } from '../lib/hash.ts'
import { acquireLock, type Lock, waitForLock } from '../lib/lock.ts'
import { changePlan, type PlanChange } from './change.ts'
import { emptyPlan, phases, type Plan, taskStates } from './plan.ts'

export interface PlanStore {
  read(): Promise<Plan>
  /** The plan afterwards. A refused change throws and leaves the file as it was. */
  change(...changes: readonly PlanChange[]): Promise<Plan>
  /** Starts anew; the old plan stays beside the new one, the last twenty of them. */
  reset(): Promise<void>
  /** One queue per project; throws `session-busy` while another process works at it. */
  holdQueue(): Promise<Lock>
}

export const planFileOf = (dataFolder: string, projectFolder: string): string =>
  join(dataFolder, 'plans', shortHash(projectFolder), 'plan.json')

/** Without a path it lives as long as the program. */
export function openPlanStore(path?: string, now: () => number = Date.now): PlanStore {
  const place = path === undefined ? inMemory() : onDisk(path)
  const applied = (plan: Plan, changes: readonly PlanChange[]): Plan => {
    let changed = plan
    for (const change of changes) changed = changePlan(changed, change, now())
    return changed
  }
  return {
    read: place.read,
    change: (...changes) => place.update((plan) => applied(plan, changes)),
    reset: () => place.setAside(`${now()}`),
    holdQueue: () => (path === undefined ? Promise.resolve(NO_LOCK) : holdQueue(path)),
  }
}

type PlanStorage = {
  read(): Promise<Plan>
  update(change: (plan: Plan) => Plan): Promise<Plan>
  setAside(name: string): Promise<void>
}

function inMemory(): PlanStorage {
  let plan = emptyPlan
  return {
    read: async () => plan,
    update: async (change) => (plan = change(plan)),
    setAside: async () => void (plan = emptyPlan),
  }
}

function onDisk(path: string): PlanStorage {
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time here; the lock does the same between processes. */
  const alone = <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(async () => {
      const lock = await lockPlan(path)
      return act().finally(() => lock.release())
    })
    last = done.catch(() => undefined)
    return done
  }
  return {
    read: () => load(path),
    update: (change) =>
      alone(async () => {
        const changed = change(await load(path))
        await writeAtomic(path, `${JSON.stringify(changed)}\n`, { mode: 0o600 })
        return changed
      }),
    setAside: (name) =>
      alone(async () => {
        await rename(path, `${path}.${name}`).catch((error: unknown) => {
          if (errnoOf(error) !== 'ENOENT') throw storageError(path, error)
        })
        await forgetOldest(path)
      }),
  }
}

const KEPT_PLANS = 20

/** Their names end in the time they were archived. */
async function forgetOldest(path: string): Promise<void> {
  const timeOf = (name: string) =>
    Number(/^\.(\d+)$/.exec(name.slice(basename(path).length))?.[1] ?? Number.NaN)
  const names = (await readdir(dirname(path))).filter((name) => timeOf(name) >= 0)
  const oldest = names.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(KEPT_PLANS)
  await Promise.all(oldest.map((name) => rm(join(dirname(path), name), { force: true })))
}

async function lockPlan(path: string): Promise<Lock> {
  await ensureFolder(dirname(path))
  return waitForLock(path, (pid) => `The plan is being changed by process ${pid}; try again.`)
}

const NO_LOCK: Lock = { release: async () => {} }

async function holdQueue(path: string): Promise<Lock> {
  const folder = `${path}.queue`
  await ensureFolder(folder)
  return acquireLock(folder, (pid) => `Process ${pid} works at this plan already; wait for it, or end it.`)
}

async function load(path: string): Promise<Plan> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (text === undefined) return emptyPlan
  try {
    return PlanFile.parse(JSON.parse(text))
  } catch (error) {
    const message = `${path} is damaged; correct it, or start a new plan with \`covey plan reset\`.`
    throw new AppError('storage-failed', message, { cause: error })
  }
}

const phase = z.enum(phases)

const PlanFile: z.ZodType<Plan> = z.object({
  goal: z.string().exactOptional(),
  phase,
  pausedFrom: phase.exactOptional(),
  tasks: z.array(
    z.object({
      id: z.int(),
      text: z.string(),
      state: z.enum(taskStates),
      check: z.string().exactOptional(),
      createdAt: z.number(),
      startedAt: z.number().exactOptional(),
      endedAt: z.number().exactOptional(),
      outcome: z.string().exactOptional(),
      next: z.string().exactOptional(),
      packets: z.int(),
      openSession: z.string().exactOptional(),
    }),
  ),
  notes: z.array(z.object({ at: z.number(), text: z.string() })),
  nextId: z.int(),
})
