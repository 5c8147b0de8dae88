/** What every kind of sandbox is made of and promises, and how to find out what a program can do. */
import { execFile } from 'node:child_process'
import type { ExecOptions } from '../../protocol/tool.ts'
import type { Limits } from './cgroup.ts'
import type { Facts } from './facts.ts'
import type { Mount } from './plan.ts'
import type { Tree, TreeOptions } from './tree.ts'

export type SandboxOptions = Pick<TreeOptions, 'interesting' | 'denies' | 'onProgress'> & {
  /** The folder that may be written; commands start in it. */
  readonly roots: readonly string[]
  /** Further places no command may see: keys, tokens, the configuration. */
  readonly hidden?: readonly string[]
  /** Folders outside the project that commands may read or write, from the person's own configuration. */
  readonly readable?: readonly string[]
  readonly writable?: readonly string[]
  readonly home?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly network?: boolean
  /** Commands only look: the workspace is read-only too. */
  readonly readOnly?: boolean
  /** Commands come from others: only the workspace and the system exist, and the environment is an allow-list. */
  readonly host?: boolean
  /** A rule closes paths: what git keeps of them is hidden, but for commands that may see it. */
  readonly hidesHistory?: boolean
  readonly limits?: Partial<Limits>
  readonly platform?: NodeJS.Platform
}

/** What holds for one command. */
export type Terms = Pick<ExecOptions, 'grant' | 'readsOnly' | 'showsHistory'> & {
  /** It sees the history, and repositories cannot be changed all the same. */
  readonly keepsRepository?: boolean
  /** Git works on this one, whatever it would find. */
  readonly repository?: { readonly gitFolder: string; readonly workTree: string }
}

export type Sandbox = {
  readonly name: string
  /** What it cannot promise on this machine; for the start of the program. */
  readonly warnings: readonly string[]
  readonly network: boolean
  /** Programs and packages that commands use: no grant opens anything in them. */
  readonly closed: readonly string[]
  /** The index of the project that its plans are made from. */
  readonly tree: Tree
  /** Call it once for each process, and `leave` when that has ended. */
  enter(argv: readonly string[], terms?: Terms): Promise<Entered>
  /** What a command would see, in the order it is put together. */
  describe(terms?: Terms): Promise<readonly Mount[]>
  close(): Promise<void>
}

export type Entered = {
  readonly argv: readonly string[]
  /** Over the usual environment; `undefined` takes a variable away. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Names that are kept of the usual environment; absent = all that hold no secret. */
  readonly keeps?: (name: string) => boolean
  /** Given to the process from the third on; a pipe says when the sandbox stands, and waits for a line to go on. */
  readonly descriptors?: readonly (number | 'pipe')[]
  /** Whether nothing moved in the project while the sandbox was put up. */
  isAsPlanned?(): boolean
  leave(): Promise<void>
}

export type NoSandbox = { readonly missing: string }

/** What all kinds of sandbox stand on. */
export type SandboxContext = {
  readonly program: string
  /** Another program of the system, never one of the workspace. */
  findProgram(name: string): Promise<string | undefined>
  readonly facts: Facts
  readonly tree: Tree
  readonly network: boolean
  readonly readOnly: boolean
  readonly host: boolean
  readonly hidesHistory: boolean
  readonly limits: Limits
  /** Ours, private: /tmp in the sandbox, and the stand-ins for hidden files. */
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
