/** Memories for tests: real files, gone when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Memory, type MemoryOptions, openMemory } from '../../src/memory/store.ts'

const cleanups: (() => Promise<void> | void)[] = []
afterAll(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

export function tempDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'covey-memory-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'memory.db')
}

export async function memoryIn(path?: string, options: Partial<MemoryOptions> = {}): Promise<Memory> {
  let time = Date.UTC(2026, 0, 1)
  const memory = await openMemory({
    ...(path !== undefined && { path }),
    project: '/home/ada/shop',
    refuse: async () => undefined,
    now: () => (time += 1000),
    warn: () => {},
    ...options,
  })
  cleanups.push(() => memory.close())
  return memory
}

export const textsOf = async (memory: Memory, query: string): Promise<readonly string[]> =>
  (await memory.recall(query)).map(({ fact }) => fact.text)
