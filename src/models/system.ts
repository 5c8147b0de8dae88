/** The real machine behind `detectHardware`. A program that hangs or is missing is an unknown, never a failure. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism, freemem, totalmem } from 'node:os'
import { promisify } from 'node:util'
import { freeSpace } from './free-space.ts'
import type { HardwareEffects } from './machine.ts'

/** `folder` is where models are kept; its disk is the one that counts. */
export const systemEffects = (folder: string): HardwareEffects => ({
  platform: process.platform,
  arch: process.arch,
  cores: availableParallelism,
  memory: () => ({ ramBytes: totalmem(), ramFree: freemem() }),
  read: (path) => readFile(path, 'utf8').catch(() => undefined),
  list: (path) => readdir(path).catch(() => []),
  run: runProgram,
  diskFree: () => freeSpace(folder),
})

/** nvidia-smi takes seconds where the driver sleeps. */
const PATIENCE_MS = 10_000

async function runProgram(program: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    const options = { timeout: PATIENCE_MS, maxBuffer: 4 << 20, windowsHide: true }
    return (await promisify(execFile)(program, [...args], options)).stdout
  } catch {
    return undefined
  }
}
