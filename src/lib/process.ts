/**
 * A child process with an end: its own process group, no stdin, output bounded while it streams, TERM then KILL for the
 * whole group. Node's own kill reaches only the direct child, which is why this is not left to a library.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { AppError, errorMessage } from '../protocol/error.ts'
import { BoundedOutput, type Taken } from './bounded-output.ts'

export type ProcessOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly onOutput: (bytes: Buffer) => void
}

type ProcessEnd = {
  /** `undefined` when a signal ended it. */
  readonly exitCode: number | undefined
  /** The program is over, but it left children behind that still run in its group. */
  readonly lingering: boolean
}

export interface RunningProcess {
  /** Rejects only when the program could not be started. */
  readonly ended: Promise<ProcessEnd>
  isRunning(): boolean
  /** What it printed since the last call. */
  take(): Taken
  /** Ends the whole group; resolves when it is gone. */
  stop(): Promise<void>
}

/** How long a group may take to end itself before it is killed. */
const GRACE_MS = 2000

/**
 * A program that ended may have left its pipe to a child. One in its group goes on and is said to linger; one that left
 * the group is out of reach, and its output is not waited for much longer.
 */
const DRAIN_MS = { group: 150, other: 1000 }

export function startProcess(argv: readonly string[], options: ProcessOptions): RunningProcess {
  const output = new BoundedOutput()
  const child = spawnGroup(argv, options)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => {
      output.add(bytes)
      options.onOutput(bytes)
    })
  }
  const ended = whenEnded(child, argv[0] ?? '')
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
  return { ended, isRunning, take: () => output.take(), stop }
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

function spawnGroup(argv: readonly string[], { cwd, env }: ProcessOptions): ChildProcess {
  const [program = '', ...rest] = argv
  try {
    return spawn(program, rest, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw cannotStart(program, error)
  }
}

const cannotStart = (program: string, error: unknown): AppError =>
  new AppError('tool-failed', `${program} could not be started: ${errorMessage(error)}`, { cause: error })

function whenEnded(child: ChildProcess, program: string): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = []
    child.once('error', (error) => reject(cannotStart(program, error)))
    child.once('exit', (code) => {
      const settle = (): void => {
        timers.forEach(clearTimeout)
        const lingering = isGroupAlive(child.pid)
        if (!lingering) letGo(child)
        resolve({ exitCode: code ?? undefined, lingering })
      }
      const settleIfLingering = (): void => (isGroupAlive(child.pid) ? settle() : undefined)
      timers.push(setTimeout(settleIfLingering, DRAIN_MS.group), setTimeout(settle, DRAIN_MS.other))
      child.once('close', settle)
    })
  })
}

/** Whoever still holds the other end of a pipe must not keep this process alive. */
function letGo({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy()
  stderr?.destroy()
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

/** A group of zombies counts as gone: in a container nobody may ever collect them. */
function isGroupAlive(pid: number | undefined): boolean {
  if (!signalGroup(pid, 0)) return false
  if (process.platform !== 'linux') return true
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isLivingMember(entry, pid))
}

function isLivingMember(entry: string, group: number | undefined): boolean {
  try {
    const stat = readFileSync(`/proc/${entry}/stat`, 'latin1')
    // The program name stands in brackets and may hold anything; the fields that count come after it.
    const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(member) === group && state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
