/** The real program as a child process, from its sources. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type CoveyRun = { readonly code: number | null; readonly out: string; readonly err: string }

export type CoveyOptions = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Absent = no input at all. */
  readonly input?: string
  /** Told of every piece of stdout; may send signals. */
  readonly onOut?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const TSX = fileURLToPath(new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url))

export function covey(args: readonly string[], { cwd, env, input, onOut }: CoveyOptions): Promise<CoveyRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', TSX, MAIN, ...args], {
      cwd,
      env: { ...env, NO_COLOR: '1' },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout?.on('data', (data: Buffer) => {
      out += data.toString()
      onOut?.(data.toString(), (signal) => child.kill(signal))
    })
    child.stderr?.on('data', (data: Buffer) => (err += data.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
    if (input !== undefined) child.stdin?.end(input)
  })
}
