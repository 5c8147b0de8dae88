/**
 * A child process with an end: its own process group, output bounded while it streams, TERM then KILL for the whole
 * group. Node's own kill reaches only the direct child, which is why this is not left to a library.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Duplex, type Readable, type Writable } from 'node:stream'
import { AppError, errorMessage } from '../protocol/error.ts'
import { BoundedOutput, type Taken } from './bounded-output.ts'

export type GroupOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What it has open beside its input and output, from 3 on: a descriptor of ours, or a pipe. */
  readonly descriptors?: readonly (number | 'pipe')[]
}

export type ProcessOptions = GroupOptions & { readonly onOutput: (bytes: Buffer) => void }

type ProcessEnd = {
  /** `undefined` when a signal ended it. */
  readonly exitCode: number | undefined
  /** The program is over, but it left children behind that still run in its group. */
  readonly lingering: boolean
}

export interface ProcessGroup {
  /** Rejects only when the program could not be started. */
  readonly ended: Promise<ProcessEnd>
  isRunning(): boolean
  /** Ends the whole group; resolves when it is gone. */
  stop(): Promise<void>
  /** The last of its descriptors, where that is a pipe. */
  readonly channel?: Duplex
}

export type RunningProcess = ProcessGroup & {
  /** What it printed since the last call. */
  take(): Taken
}

/** How long a group may take to end itself before it is killed. */
const GRACE_MS = 2000

/**
 * A program that ended may have left its pipe to a child. One in its group goes on and is said to linger; one that left
 * the group is out of reach, and its output is not waited for much longer.
 */
const DRAIN_MS = { group: 150, other: 1000 }

export function startProcess(argv: readonly string[], options: ProcessOptions): RunningProcess {
  const output = new BoundedOutput({ keepsFailures: true })
  const child = spawnGroup(argv, options, 'ignore')
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => {
      output.add(bytes)
      options.onOutput(bytes)
    })
  }
  const group = watchGroup(child, argv, { letsGo: true })
  return { ...group, take: () => output.take() }
}

export type OpenProcess = ProcessGroup & {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

/**
 * How a program starts that configuration names: confined, or as it is once its files are trusted. Throws where it may
 * not.
 */
export type Launch = (name: string, argv: readonly string[], place: GroupOptions) => Promise<OpenProcess>

/** One whose pipes are all open. What it printed stays readable after its end; `stop` gives it up. */
export function openProcess(argv: readonly string[], options: GroupOptions): OpenProcess {
  const child = spawnGroup(argv, options, 'pipe')
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw cannotStart(argv[0] ?? '', new Error('it has no pipes'))
  const group = watchGroup(child, argv, { letsGo: false })
  const stop = async (): Promise<void> => {
    await group.stop()
    letGo(child)
  }
  return { ...group, stop, stdin, stdout, stderr }
}

type Watching = {
  /** Its output is not wanted after its end. */
  readonly letsGo: boolean
}

function watchGroup(child: ChildProcess, argv: readonly string[], { letsGo }: Watching): ProcessGroup {
  const ended = whenEnded(child, { program: argv[0] ?? '', letsGo })
  endWithUs(child, ended)
  const closed = new Promise((resolve) => child.once('close', resolve))
  let over: ProcessEnd | undefined
  ended.then(
    (end) => (over = end),
    () => (over = { exitCode: undefined, lingering: false }),
  )
  const isRunning = (): boolean => !over || (over.lingering && isGroupAlive(child.pid))
  // Once the group is gone its number may belong to someone else.
  const stop = async (): Promise<void> => {
    if (!isRunning()) return
    await stopGroup(child.pid)
    if (child.pid !== undefined) groups.delete(child.pid)
    await Promise.race([closed, pause(DRAIN_MS.group)])
    letGo(child)
  }
  const channel = child.stdio.at(-1)
  return { ended, isRunning, stop, ...(child.stdio.length > 3 && channel instanceof Duplex && { channel }) }
}

const groups = new Set<number>()
let isWatchingExit = false

/** Even where this process leaves without a goodbye, no group it started outlives it. */
function endWithUs({ pid }: ChildProcess, ended: Promise<ProcessEnd>): void {
  if (pid === undefined) return
  groups.add(pid)
  const forget = (): void => void groups.delete(pid)
  ended.then(({ lingering }) => (lingering ? undefined : forget()), forget)
  if (isWatchingExit) return
  isWatchingExit = true
  process.once('exit', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL')
  })
}

function spawnGroup(
  argv: readonly string[],
  { cwd, env, descriptors = [] }: GroupOptions,
  stdin: 'ignore' | 'pipe',
): ChildProcess {
  const [program = '', ...rest] = argv
  try {
    return spawn(program, rest, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe', ...descriptors] })
  } catch (error) {
    throw cannotStart(program, error)
  }
}

const cannotStart = (program: string, error: unknown): AppError =>
  new AppError('tool-failed', `${program} could not be started: ${errorMessage(error)}`, { cause: error })

type Ending = Watching & { readonly program: string }

function whenEnded(child: ChildProcess, { program, letsGo }: Ending): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = []
    child.once('error', (error) => reject(cannotStart(program, error)))
    child.once('exit', (code) => {
      const settle = (): void => {
        timers.forEach(clearTimeout)
        const lingering = isGroupAlive(child.pid)
        if (!lingering && letsGo) letGo(child)
        resolve({ exitCode: code ?? undefined, lingering })
      }
      const settleIfLingering = (): void => (isGroupAlive(child.pid) ? settle() : undefined)
      timers.push(setTimeout(settleIfLingering, DRAIN_MS.group), setTimeout(settle, DRAIN_MS.other))
      child.once('close', settle)
    })
  })
}

/** A process that still holds the other end of a pipe must not keep this one alive. */
function letGo({ stdio }: ChildProcess): void {
  for (const pipe of stdio) pipe?.destroy()
}

async function stopGroup(pid: number | undefined): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!signalGroup(pid, signal) || (await isGoneWithin(GRACE_MS, pid))) return
  }
}

async function isGoneWithin(ms: number, pid: number | undefined): Promise<boolean> {
  const deadline = performance.now() + ms
  while (performance.now() < deadline) {
    await pause(20)
    if (!isGroupAlive(pid)) return true
  }
  return false
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** False when there is no such group any more. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** A group of zombies counts as gone: in a container they may never be collected. */
function isGroupAlive(pid: number | undefined): boolean {
  if (!signalGroup(pid, 0)) return false
  if (process.platform !== 'linux') return true
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isLivingMember(entry, pid))
}

function isLivingMember(entry: string, group: number | undefined): boolean {
  try {
    const stat = readFileSync(`/proc/${entry}/stat`, 'latin1')
    // The program name is in brackets and may hold anything; the fields that count come after it.
    const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(member) === group && state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
