/** The program as a person starts it, inside something that takes away what it is used to. */
import { execFile, spawnSync } from 'node:child_process'
import { emptyHome } from '../support/run.ts'
import { tempProject } from '../support/project.ts'
import { coveyProgram } from '../support/program.ts'

const play = [
  { calls: [{ name: 'list_files', input: { path: '.' } }] },
  { text: 'There is one file, and it is called a.txt.' },
]

/** A prompt that a script answers, one call included. */
export const PROMPT = ['-m', 'scripted:play.jsonl', 'What files are here?']
export const ANSWER = 'There is one file, and it is called a.txt.\n'

export type WrappedOptions = {
  /** What the program is started by, such as `unshare -n`. */
  readonly by?: readonly string[]
  /** Added to an environment with an empty home. */
  readonly env?: NodeJS.ProcessEnv
  /** A line of sh around it, `"$@"` being the program. */
  readonly sh?: string
}

export type WrappedRun = { readonly code: number; readonly out: string; readonly err: string }

export async function wrapped(args: readonly string[], options: WrappedOptions = {}): Promise<WrappedRun> {
  const { by = [], sh = 'exec "$@"' } = options
  const lines = play.map((line) => JSON.stringify(line)).join('\n')
  const cwd = await tempProject({ 'a.txt': '', 'play.jsonl': lines })
  const env = { ...(await emptyHome()), NO_COLOR: '1', ...options.env }
  const argv = ['-c', sh, 'sh', ...by, process.execPath, ...coveyProgram, ...args]
  return new Promise((resolve) => {
    const child = execFile('/bin/sh', argv, { cwd, env, timeout: 60_000 }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err })
    })
    child.stdin?.end()
  })
}

/** Why a wrapper cannot be used here; absent where it can. */
export function unusable(by: readonly string[]): string | undefined {
  const [program = '', ...rest] = by
  const { status } = spawnSync(program, [...rest, 'true'], { stdio: 'ignore' })
  return status === 0 ? undefined : `${program} is missing or refused`
}

export const READ_ONLY = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
/** Without the power of root to write where the mode of a folder says no. */
export const POWERLESS = ['bwrap', '--dev-bind', '/', '/', '--cap-drop', 'ALL']
export const OFFLINE = ['unshare', '-n']
