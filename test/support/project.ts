/** Real folders and the real guard for tests of tools. Everything made here is gone when the test file ends. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createExec } from '../../src/guard/exec.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import type { Results, StoredResult, ToolContext } from '../../src/protocol/tool.ts'
import { atEndOfFile } from './cleanup.ts'

/** A new folder with these files; returns its path, links resolved. */
export async function tempProject(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'covey-')))
  atEndOfFile(() => rm(root, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}

/** What a tool is handed in a run: real files and processes, a page of 1,000 tokens of four characters. */
export function toolContext(root: string, overrides: Partial<ToolContext> = {}): ToolContext {
  const exec = createExec({ cwd: root })
  atEndOfFile(() => exec.close())
  return {
    files: createFiles({ root }),
    exec,
    results: memoryResults(),
    ask: async ({ question }) => `answer to ${question}`,
    cwd: root,
    signal: new AbortController().signal,
    output: () => {},
    tell: () => {},
    limits: {},
    pageTokens: 1000,
    countTokens: (text) => Math.ceil(text.length / 4),
    ...overrides,
  }
}

function memoryResults(): Results {
  const kept = new Map<string, { stored: StoredResult; text: string }>()
  return {
    async put(label, text) {
      const id = `r${kept.size + 1}`
      const stored = { id, label, bytes: Buffer.byteLength(text), lines: text.split('\n').length }
      kept.set(id, { stored, text })
      return stored
    },
    read: async (id) => kept.get(id)?.text,
    list: async () => [...kept.values()].map(({ stored }) => stored),
  }
}
