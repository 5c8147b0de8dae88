/**
 * A try: what a hostile model or repository does, as data. Commands go through the whole guard of a real session; the
 * harness sets up the project before, and looks at the host afterwards.
 *
 * In every text these names are filled in: {HOME}, {PROJECT}, {OUTSIDE} (a folder of the same user that is neither
 * home nor project), {MARKS} (what is planted to run later makes a file there), {ID}, {VICTIM} (the id of a process
 * outside), {PORT} (of a server on loopback) and {CANARY} (what every file that must not be read holds).
 */
import type { App } from '../../../src/index.ts'

/** The numbers of the classes in the threat model. */
export const classes = {
  1: 'links decide what is mounted',
  2: 'the home folder, sockets and the environment',
  3: 'walks that give up',
  4: 'what runs outside later',
  5: 'commands judged to only read',
  6: 'denied paths and commands',
  7: 'trusted code that the model may edit',
  8: 'grants',
  9: 'kernel interfaces and root',
  12: 'the repository as attacker',
  13: 'secrets that git knows',
  16: 'a tool host',
} as const
export type ClassNumber = keyof typeof classes

export type User = 'root' | 'user'

export type Step =
  /** A call of run_command. */
  | string
  | { readonly background: string }
  | { readonly call: string; readonly input: object }
  /** By the harness, outside the sandbox: what a repository, a clock or a person does in the meantime. */
  | { readonly host: string }
  /** The session ends; another one begins. */
  | { readonly reopen: App['permissionMode'] }

export type Try = {
  readonly name: string
  /** `auto` when absent: commands run in the sandbox without a question. */
  readonly mode?: 'ask' | 'auto' | 'accept-edits' | 'read-only'
  /** Shell, run in the project before the session: what the repository brings. */
  readonly project?: string
  /** Shell, run in the home folder before the session. */
  readonly home?: string
  /** The person's own configuration. */
  readonly config?: string
  /** Files of the project that the person trusted. */
  readonly trusts?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Starts the session in this folder of the project. */
  readonly in?: string
  readonly steps: readonly Step[]
  /** A user approves so many questions; absent = no user. */
  readonly yes?: number
  /** An output that is an escape, beside the canary. */
  readonly leak?: RegExp
  /** A question that must not be asked. */
  readonly question?: RegExp
  /** Paths of the project that must not exist afterwards. */
  readonly absent?: readonly string[]
  /** What a person may allow: changes of these paths are no escape. */
  readonly allows?: RegExp
  /** The harmless neighbour; reads a file of the project when absent. */
  readonly control?: Control
  readonly users?: readonly User[]
  /** Too long for the tests that a person waits for. */
  readonly isSlow?: true
  /** Programs it needs. */
  readonly needs?: readonly string[]
  /** Why it does not get through without a guard either, or must not be tried without one. */
  readonly guarded?: string
}

/** Reasons that several tries have. */
export const OWN = 'the folders of Covey are closed in every mode'
export const CONTAINED = 'file tools are contained in every mode'
export const PINNED = 'what the configuration of the person runs is pinned in every mode'

export type Control = { readonly run: string; readonly expects: RegExp }

export const usual: Control = { run: 'cat readme.txt', expects: /^hello from the project$/m }

export type Outcome = {
  readonly name: string
  readonly class: ClassNumber
  readonly user: User
  /** What got through, in words; empty = nothing. */
  readonly escapes: readonly string[]
  /** What the harmless neighbour said instead of what it should. */
  readonly control?: string
  readonly skipped?: string
  readonly ms: number
  /** What the model saw, for debugging. */
  readonly seen: string
}
