/** What every kind of sandbox is made of and promises, and how to find out what a program can do. */
import { execFile } from 'node:child_process'
import type { ExecOptions } from '../protocol/tool.ts'
import type { Limits } from './cgroup.ts'

export type SandboxOptions = {
  /** Folders that may be written; commands start in the first. */
  readonly roots: readonly string[]
  /** Further places no command may see: keys, tokens, the configuration. */
  readonly hidden?: readonly string[]
  readonly home?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly network?: boolean
  /** Commands only look: the workspace is read-only too. */
  readonly readOnly?: boolean
  /** Paths of the workspace, relative to the first root, that commands must not find there. */
  readonly denies?: (relativePath: string) => boolean
  readonly limits?: Partial<Limits>
  readonly platform?: NodeJS.Platform
}

/** What holds for one command. */
export type Terms = Pick<ExecOptions, 'grant' | 'readsOnly'>

export type Sandbox = {
  readonly name: string
  /** What it cannot promise on this machine; for the start of the program. */
  readonly warnings: readonly string[]
  readonly network: boolean
  /** Call it once for each process, and `leave` when that has ended. */
  enter(argv: readonly string[], terms?: Terms): Promise<Entered>
  /** Paths that only seem to be there while commands run; absent where there are never any. */
  standIns?(): Promise<readonly string[]>
  close(): Promise<void>
}

type Entered = {
  readonly argv: readonly string[]
  /** Over the usual environment; `undefined` takes a variable away. */
  readonly env: Readonly<Record<string, string | undefined>>
  leave(): Promise<void>
}

export type NoSandbox = { readonly missing: string }

/** What all kinds of sandbox stand on. */
export type SandboxGround = Required<Omit<SandboxOptions, 'env' | 'platform' | 'limits' | 'denies'>> & {
  readonly program: string
  /** Another program of the system, never one of the workspace. */
  findProgram(name: string): Promise<string | undefined>
  readonly limits: Limits
  /** Ours, private: what is /tmp in there, and the files that stand in for others. */
  readonly folder: string
}

export type Ran = { readonly ok: boolean; readonly output: string }

/** Runs a program to its end, for looking what it can do. */
export const tryProgram = (argv: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const [program = '', ...rest] = argv
    execFile(program, rest, { timeout: 10_000 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: (stderr || stdout).trim() }),
    )
  })
