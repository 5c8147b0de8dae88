/** Whether a build of llama.cpp works on this machine, found out by loading it in a process of its own. */
import { spawn } from 'node:child_process'
import { z } from 'zod'
import type { Build } from './find.ts'
import { trialProgram } from './trial-program.ts'

const TrialReport = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    devices: z.array(z.string()),
    /** Memory of all its cards. */
    totalBytes: z.number(),
    freeBytes: z.number(),
  }),
  z.object({ ok: z.literal(false), why: z.string() }),
])
export type TrialReport = z.infer<typeof TrialReport>

/** A driver that has to wake its card takes seconds. */
const PATIENCE_MS = 30_000

export function tryBuild(build: Build, patienceMs = PATIENCE_MS): Promise<TrialReport> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', trialProgram, JSON.stringify(build)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    windowsHide: true,
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)))
  return new Promise((resolve) => {
    const end = (report: TrialReport): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      resolve(report)
    }
    const timer = setTimeout(
      () => end({ ok: false, why: `it did not load within ${patienceMs / 1000} s` }),
      patienceMs,
    )
    child.once('message', (message) => {
      const { data } = TrialReport.safeParse(message)
      end(data ?? { ok: false, why: 'its report could not be read' })
    })
    child.once('error', (error) => end({ ok: false, why: error.message }))
    child.once('exit', (code, signal) => {
      const last = said.trim().split('\n').at(-1)
      end({ ok: false, why: `loading it ended the process (${signal ?? code})${last ? `: ${last}` : ''}` })
    })
  })
}
