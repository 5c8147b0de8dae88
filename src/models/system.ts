/** The real machine behind `detectHardware`. A program that hangs or is missing is an unknown, never a failure. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism, freemem, totalmem } from 'node:os'
import { freeSpace } from './free-space.ts'
import type { HardwareEffects } from './machine.ts'

/** nvidia-smi takes seconds where the driver sleeps. */
const PATIENCE_MS = 10_000

/** `folder` is where models are kept; its disk is the one that counts. */
export const systemEffects = (folder: string, patienceMs = PATIENCE_MS): HardwareEffects => ({
  platform: process.platform,
  arch: process.arch,
  cores: availableParallelism,
  memory: () => ({ ramBytes: totalmem(), ramFree: freemem() }),
  read: (path) => readFile(path, 'utf8').catch(() => undefined),
  list: (path) => readdir(path).catch(() => []),
  run: (program, ...args) => runProgram([program, ...args], patienceMs),
  diskFree: () => freeSpace(folder),
})

/**
 * Not even its end is waited for: one that hangs in a driver cannot be killed, and a child of it may hold the pipe.
 */
const runProgram = ([program = '', ...args]: readonly string[], patienceMs: number) =>
  new Promise<string | undefined>((resolve) => {
    const child = execFile(program, args, { maxBuffer: 4 << 20, windowsHide: true }, (error, stdout) => {
      clearTimeout(timer)
      resolve(error ? undefined : stdout)
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
      resolve(undefined)
    }, patienceMs)
  })
