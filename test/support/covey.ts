/** The command line: in this process for speed, or as a real child process where signals and streams matter. */
import { spawn } from 'node:child_process'
import { runProgram } from '../../src/cli/program.ts'
import { coveyProgram } from './program.ts'

export type CoveyRun = { readonly code: number | null; readonly out: string; readonly err: string }

export type CoveyOptions = {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** What is piped in; absent = no input at all. */
  readonly input?: string
}

export async function covey(args: readonly string[], { cwd, env, input }: CoveyOptions): Promise<CoveyRun> {
  let out = ''
  let err = ''
  const code = await runProgram(args, {
    version: '0.0.0-test',
    env: { ...env, NO_COLOR: '1' },
    cwd,
    signal: new AbortController().signal,
    io: {
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      stdin: process.stdin,
      piped: async () => (input === undefined ? undefined : { text: input, truncated: false }),
      isTty: false,
    },
  })
  return { code, out, err }
}

export type ProcessOptions = CoveyOptions & {
  /** Called for every piece of stdout; may send signals. */
  readonly onOut?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
  /** What Node is given to run, where it matters. */
  readonly program?: readonly string[]
}

export function coveyProcess(args: readonly string[], options: ProcessOptions): Promise<CoveyRun> {
  const { cwd, env, input, onOut, program = coveyProgram } = options
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...program, ...args], {
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
