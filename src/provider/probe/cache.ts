/**
 * What was learnt about models by asking them, kept in one file, by digest. A file that cannot be read is as good as
 * none: everything in it can be found out again.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { writeAtomic } from '../../lib/atomic-write.ts'
import { behaviourFindings, behaviourNames, mergeFindings, type Findings } from './findings.ts'

const VERSION = 1
/** The oldest are forgotten. */
const MAX_MODELS = 200

const Cache = z.object({
  version: z.literal(VERSION),
  models: z.record(z.string(), behaviourFindings),
})

export type ProbeCache = {
  read(digest: string): Promise<Findings>
  /** Adds to what is known about a model; only what its behaviour told is kept. */
  write(digest: string, findings: Findings): Promise<void>
}

export function openProbeCache(path: string): ProbeCache {
  return {
    read: async (digest) => (await readModels(path))[digest] ?? {},
    async write(digest, findings) {
      const { [digest]: earlier = {}, ...others } = await readModels(path)
      const kept = mergeFindings(earlier, behaviourOf(findings))
      const models = Object.fromEntries([...Object.entries(others), [digest, kept]].slice(-MAX_MODELS))
      await mkdir(dirname(path), { recursive: true })
      await writeAtomic(path, `${JSON.stringify({ version: VERSION, models }, undefined, 2)}\n`)
    },
  }
}

const behaviourOf = (findings: Findings): Findings =>
  Object.fromEntries(Object.entries(findings).filter(([name]) => behaviourNames.includes(name as never)))

async function readModels(path: string): Promise<Readonly<Record<string, Findings>>> {
  try {
    return Cache.parse(JSON.parse(await readFile(path, 'utf8'))).models
  } catch {
    return {}
  }
}
