/**
 * A limit on processes and memory that binds root too. Control groups are the only thing that does: the usual limit on
 * processes does not count for root, not even inside a user namespace.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export type Limits = { readonly processes: number; readonly memoryBytes: number }

/** Folders under which groups can be made, and what each can limit. */
export type CgroupPlace = { readonly folder: string; readonly limits: Readonly<Record<string, keyof Limits>> }

export type Cgroup = {
  /** A process that writes its number into these is limited, with all its children. */
  readonly joins: readonly string[]
  remove(): Promise<void>
}

/** Where groups with both limits can be made; empty when this machine or container does not let us. */
export async function findCgroupPlaces(limits: Limits): Promise<readonly CgroupPlace[]> {
  const memberships = await readFile('/proc/self/cgroup', 'utf8').catch(() => '')
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  const places: CgroupPlace[] = []
  for (const candidate of candidates(memberships, mounts)) {
    const wanted = Object.values(candidate.limits)
    if (wanted.every((limit) => places.some((place) => Object.values(place.limits).includes(limit)))) continue
    if (await isUsable(candidate, limits)) places.push(candidate)
  }
  return places.some((place) => Object.values(place.limits).includes('processes')) ? places : []
}

const ONE = { 'pids.max': 'processes', 'memory.max': 'memoryBytes' } as const
const BY_CONTROLLER: Readonly<Record<string, CgroupPlace['limits']>> = {
  pids: { 'pids.max': 'processes' },
  memory: { 'memory.limit_in_bytes': 'memoryBytes' },
}

/** From the group of this process upwards: the nearest one that may have children with limits. */
export function candidates(memberships: string, mounts: string): readonly CgroupPlace[] {
  return memberships.split('\n').flatMap((line) => {
    const [, controllers, path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (controllers === undefined) return []
    const names = controllers === '' ? ['cgroup2'] : controllers.split(',')
    return names.flatMap((name) => {
      const mount = mountOf(mounts, name)
      const limits = name === 'cgroup2' ? ONE : BY_CONTROLLER[name]
      return mount && limits
        ? upwards(path).map((each) => ({ folder: resolve(mount, `.${each}`), limits }))
        : []
    })
  })
}

function mountOf(mounts: string, controller: string): string | undefined {
  const lines = mounts.split('\n').map((line) => line.split(' '))
  const found = lines.find((fields) => {
    const [type, , options = ''] = fields.slice(fields.indexOf('-') + 1)
    return controller === 'cgroup2'
      ? type === 'cgroup2'
      : type === 'cgroup' && options.split(',').includes(controller)
  })
  return found?.[4]
}

const upwards = (path: string): readonly string[] =>
  path === '/' || path === '' ? ['/'] : [path, ...upwards(dirname(path))]

async function isUsable(place: CgroupPlace, limits: Limits): Promise<boolean> {
  try {
    await (await createCgroup([place], limits)).remove()
    return true
  } catch {
    return false
  }
}

/** Throws when a limit cannot be set: a group without it would be a promise not kept. */
export async function createCgroup(places: readonly CgroupPlace[], limits: Limits): Promise<Cgroup> {
  const name = `covey-${randomBytes(6).toString('hex')}`
  const folders = places.map(({ folder }) => join(folder, name))
  const remove = async (): Promise<void> => {
    for (const folder of folders) await removeEmpty(folder)
  }
  try {
    for (const [index, { limits: files }] of places.entries()) {
      const folder = folders[index] ?? ''
      await mkdir(folder)
      for (const [file, limit] of Object.entries(files))
        await writeFile(join(folder, file), String(limits[limit]))
    }
    return { joins: folders.map((folder) => join(folder, 'cgroup.procs')), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A group can be removed once its last process is gone, which takes the kernel a moment. */
async function removeEmpty(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const failure = await rmdir(folder).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    )
    if (failure !== 'EBUSY') return
    await pause(25)
  }
}
