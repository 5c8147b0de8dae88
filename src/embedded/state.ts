/**
 * Conversations put aside on disk, evaluated as they are, so that a session resumes warm. A state of another model could
 * crash the engine: its file name says which model it belongs to. The folder keeps the newest few.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LlamaContextSequence, Token } from 'node-llama-cpp'
import { z } from 'zod'
import { shortHash } from '../lib/hash.ts'
import type { Encoding } from './encoding.ts'

export type StateShelf = {
  save(sessionId: string, sequence: LlamaContextSequence, encoding: Encoding): Promise<void>
  /** What the sequence holds now, or nothing when no state was kept. */
  load(sessionId: string, sequence: LlamaContextSequence): Promise<Encoding | undefined>
}

export type StateShelfOptions = {
  readonly folder: string
  /** Changes when the model file, or how it is loaded, does. */
  readonly fingerprint: string
}

const MAX_STATES = 16
const MAX_BYTES = 4 * 2 ** 30

export function createStateShelf({ folder, fingerprint }: StateShelfOptions): StateShelf {
  const pathOf = (sessionId: string): string =>
    join(folder, `${shortHash(`${fingerprint} ${sessionId}`)}.state`)
  return {
    async save(sessionId, sequence, encoding) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = pathOf(sessionId)
      await writeFile(`${path}.json`, JSON.stringify(encoding), { mode: 0o600 })
      // Half a state under its final name would be loaded one day.
      await sequence.saveStateToFile(`${path}.tmp`)
      await rename(`${path}.tmp`, path)
      await prune(folder)
    },
    async load(sessionId, sequence) {
      const path = pathOf(sessionId)
      const text = await readFile(`${path}.json`, 'utf8').catch(() => undefined)
      const encoding = text === undefined ? undefined : storedEncoding.safeParse(JSON.parse(text)).data
      if (!encoding || !(await stat(path).catch(() => undefined))) return undefined
      await sequence.loadStateFromFile(path, { acceptRisk: true })
      return { ...encoding, tokens: encoding.tokens as Token[] }
    },
  }
}

const size = z.int().nonnegative()
const storedEncoding = z.object({
  key: z.string(),
  tokens: z.array(size),
  cuts: z.array(z.object({ at: size, tokens: size })),
})

async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.state'))
  const files = await Promise.all(names.map(async (name) => ({ name, ...(await stat(join(folder, name))) })))
  let bytes = 0
  const extra = files
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    .filter(({ size }, index) => (bytes += size) > MAX_BYTES || index >= MAX_STATES)
  for (const { name } of extra) {
    await rm(join(folder, name), { force: true })
    await rm(join(folder, `${name}.json`), { force: true })
  }
}
