/**
 * One hook command: a payload on stdin, an answer on stdout, an end in time. Its whole process group ends with it, so
 * that a hook leaves nothing running. (`lib/process.ts` has no stdin: what tools start must not wait for any.)
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { errorMessage } from '../protocol/error.ts'
import { toChildEnvironment } from './sandbox/environment.ts'

export type HookProcessOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: string
  /** Aborts when its time is up or the run is cancelled. */
  readonly signal: AbortSignal
}

export type HookProcessEnd =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly why: string }

/** A whole file may come back transformed; beyond that something went wrong. */
const MAX_OUTPUT = 4 * 1024 * 1024
const GRACE_MS = 1000
/** What a hook left behind may hold its pipe open; its answer is not waited for longer than this. */
const DRAIN_MS = 100

export async function runHookProcess(command: string, options: HookProcessOptions): Promise<HookProcessEnd> {
  const { cwd, env, stdin, signal } = options
  if (signal.aborted) return { kind: 'failed', why: 'was not started in time' }
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: toChildEnvironment(env),
    detached: true,
    stdio: 'pipe',
  })
  const output = { stdout: collect(child, 'stdout'), stderr: collect(child, 'stderr') }
  // A hook that does not read its payload closes the pipe: its own choice.
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  try {
    const end = await Promise.race([ended(child), stopped(child, signal)])
    if (end.kind === 'failed') return end
    const [stdout, stderr] = [output.stdout(), output.stderr()]
    if (stdout === undefined) return { kind: 'failed', why: `printed more than ${MAX_OUTPUT / 1048576} MiB` }
    return { ...end, stdout, stderr: stderr ?? '' }
  } finally {
    await endGroup(child)
  }
}

type Exit = { readonly kind: 'ended'; readonly exitCode: number }
type Failure = { readonly kind: 'failed'; readonly why: string }

function ended(child: ChildProcess): Promise<Exit | Failure> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ kind: 'failed', why: `could not start: ${errorMessage(error)}` }),
    )
    child.once('exit', (exitCode, name) => {
      const end: Exit | Failure =
        exitCode === null ? { kind: 'failed', why: `was ended by ${name}` } : { kind: 'ended', exitCode }
      const timer = setTimeout(() => resolve(end), DRAIN_MS)
      child.once('close', () => {
        clearTimeout(timer)
        resolve(end)
      })
    })
  })
}

const stopped = ({ pid }: ChildProcess, signal: AbortSignal): Promise<Failure> =>
  new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        signalGroup(pid, 'SIGTERM')
        resolve({ kind: 'failed', why: 'took too long' })
      },
      { once: true },
    )
  })

/** What it printed; nothing when that was too much. */
function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string | undefined {
  const chunks: Buffer[] = []
  let length = 0
  child[name]?.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= MAX_OUTPUT) chunks.push(chunk)
  })
  return () => (length > MAX_OUTPUT ? undefined : Buffer.concat(chunks).toString('utf8'))
}

async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child
  for (const started = performance.now(); signalGroup(pid, 'SIGTERM'); await pause(20)) {
    if (performance.now() - started < GRACE_MS) continue
    signalGroup(pid, 'SIGKILL')
    break
  }
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** False when no one is left in the group. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
