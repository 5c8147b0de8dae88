/**
 * Memory and cores on Linux. In a container the machine's own figures are too high: the limits of the control groups
 * (both versions) count as well, from the group of this process up to the root.
 */
import type { HardwareEffects, Memory } from '../machine.ts'
import { defined } from '../../lib/object.ts'

type Reader = Pick<HardwareEffects, 'read'>

export async function linuxMemory(effects: Reader & Pick<HardwareEffects, 'memory'>): Promise<Memory> {
  const machine = readMeminfo((await effects.read('/proc/meminfo')) ?? '')
  const { ramBytes, ramFree } = { ...effects.memory(), ...machine }
  const limits = await memoryLimits(effects)
  const total = least([ramBytes, ...limits.map(({ limit }) => limit)])
  const free = least([ramFree, ...limits.map(({ limit, used }) => Math.max(0, limit - used))])
  return {
    ...defined({ ramBytes: total, ramFree: free }),
  }
}

function readMeminfo(text: string): Memory {
  const field = (name: string): number | undefined => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]
    return kib === undefined ? undefined : Number(kib) * 1024
  }
  const [ramBytes, ramFree] = [field('MemTotal'), field('MemAvailable')]
  return {
    ...defined({ ramBytes, ramFree }),
  }
}

type Limit = { readonly limit: number; readonly used: number }

async function memoryLimits(effects: Reader): Promise<readonly Limit[]> {
  const groups = await groupFolders(effects, 'memory')
  const limits = await Promise.all(groups.map((group) => memoryLimit(effects, group)))
  return limits.filter((limit) => limit !== undefined)
}

/** Version 1 writes "no limit" as a number near the largest one. */
const UNLIMITED = 2 ** 60

async function memoryLimit(effects: Reader, { folder, version }: Group): Promise<Limit | undefined> {
  const [limitFile, usedFile] = FILES[version]
  const limit = toNumber(await effects.read(`${folder}/${limitFile}`))
  const used = toNumber(await effects.read(`${folder}/${usedFile}`))
  if (limit === undefined || limit >= UNLIMITED) return undefined
  // Pages of files read long ago count as used but are reclaimed on demand.
  const stat = (await effects.read(`${folder}/memory.stat`)) ?? ''
  const cached = toNumber(/^(?:total_)?inactive_file (\d+)/m.exec(stat)?.[1]) ?? 0
  return { limit, used: Math.max(0, (used ?? 0) - cached) }
}

const FILES = {
  1: ['memory.limit_in_bytes', 'memory.usage_in_bytes'],
  2: ['memory.max', 'memory.current'],
} as const

export async function linuxCores(effects: Reader & Pick<HardwareEffects, 'cores'>): Promise<number> {
  const groups = await groupFolders(effects, 'cpu')
  const quotas = await Promise.all(groups.map((group) => coreQuota(effects, group)))
  // Less than one core still runs one thread.
  return Math.max(1, Math.floor(least([effects.cores(), ...quotas]) ?? 1))
}

async function coreQuota(effects: Reader, { folder, version }: Group): Promise<number | undefined> {
  const text =
    version === 2
      ? await effects.read(`${folder}/cpu.max`)
      : `${await effects.read(`${folder}/cpu.cfs_quota_us`)} ${await effects.read(`${folder}/cpu.cfs_period_us`)}`
  const [quota, period] = (text ?? '').trim().split(/\s+/).map(toNumber)
  // -1 and "max" mean no limit.
  return quota !== undefined && period !== undefined && quota > 0 ? quota / period : undefined
}

type Group = { readonly folder: string; readonly version: 1 | 2 }

const ROOT = '/sys/fs/cgroup'

/** The groups this process is in, innermost first. In a container the path named may not be visible; its root is. */
async function groupFolders(effects: Reader, controller: string): Promise<readonly Group[]> {
  const lines = ((await effects.read('/proc/self/cgroup')) ?? '').split('\n')
  return lines.flatMap((line): Group[] => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (controllers === undefined || path === undefined) return []
    if (controllers === '') return ancestors(ROOT, path).map((folder) => ({ folder, version: 2 }))
    if (!controllers.split(',').includes(controller)) return []
    const mount = `${ROOT}/${controller}`
    return ancestors(mount, path).map((folder) => ({ folder, version: 1 }))
  })
}

function ancestors(mount: string, path: string): string[] {
  const parts = path.split('/').filter(Boolean)
  return [...parts.keys(), parts.length]
    .reverse()
    .map((length) => [mount, ...parts.slice(0, length)].join('/'))
}

function toNumber(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}
