/** Memories for tests: real files, gone when the test file ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Memory, type MemoryOptions, openMemory } from '../../src/memory/store.ts'
import { atEndOfFile } from '../support/cleanup.ts'

export function tempDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'covey-memory-'))
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
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
  atEndOfFile(() => memory.close())
  return memory
}

export const textsOf = async (memory: Memory, query: string): Promise<readonly string[]> =>
  (await memory.recall(query)).map(({ fact }) => fact.text)
