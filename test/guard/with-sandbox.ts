/** Commands in the real sandbox of this machine; tests that need one are skipped where there is none, and say why. */
import { readdir, readlink } from 'node:fs/promises'
import { type ClosableExec, createExec } from '../../src/guard/exec.ts'
import { detectSandbox } from '../../src/guard/sandbox/detect.ts'
import type { SandboxOptions } from '../../src/guard/sandbox/context.ts'
import type { ExecOptions } from '../../src/protocol/tool.ts'
import { tempProject } from '../support/project.ts'
import { atEndOfTest } from '../support/cleanup.ts'

const probe = await detectSandbox({ roots: [await tempProject()] })
if (!('missing' in probe)) await probe.close()

/** Why there is none. */
export const missing = 'missing' in probe ? probe.missing : undefined

export const named = (title: string): string =>
  missing === undefined ? title : `${title} (skipped: ${missing})`

export async function sandboxed(cwd: string, options: Partial<SandboxOptions> = {}): Promise<ClosableExec> {
  const sandbox = await detectSandbox({ roots: [cwd], ...options })
  if ('missing' in sandbox) throw new Error(sandbox.missing)
  const exec = createExec({ cwd, sandbox, ...(options.home !== undefined && { home: options.home }) })
  atEndOfTest(() => sandbox.close())
  atEndOfTest(() => exec.close())
  return exec
}

export const patient = (options: Partial<ExecOptions> = {}): ExecOptions => ({
  timeoutMs: 15_000,
  signal: new AbortController().signal,
  ...options,
})

/** Processes that still work in this folder. */
export async function processesIn(folder: string): Promise<number> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const places = await Promise.all(all.map((name) => readlink(`/proc/${name}/cwd`).catch(() => '')))
  return places.filter((place) => place === folder).length
}
