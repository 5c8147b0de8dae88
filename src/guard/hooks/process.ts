/**
 * One hook command: a payload on stdin, an answer on stdout, an end in time. Its whole process group ends with it, so
 * that a hook leaves nothing running. (`lib/process.ts` has no stdin: what tools start must not wait for any.)
 */
import type { Readable } from 'node:stream'
import { errorMessage } from '../../protocol/error.ts'
import { createMark } from '../../lib/marked.ts'
import type { Launch, OpenProcess } from '../../lib/process.ts'
import { toChildEnvironment } from '../sandbox/environment.ts'

export type HookProcessOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: string
  /** By which name, and how it is started. */
  readonly name: string
  readonly launch: Launch
  /** Aborts when its time is up or the run is cancelled. */
  readonly signal: AbortSignal
}

export type HookProcessEnd =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly why: string }

/** A whole file may come back transformed; beyond that something went wrong. */
const MAX_OUTPUT = 4 * 1024 * 1024

export async function runHookProcess(command: string, options: HookProcessOptions): Promise<HookProcessEnd> {
  const { cwd, env, stdin, signal, name, launch } = options
  if (signal.aborted) return { kind: 'failed', why: 'was not started in time' }
  const mark = createMark()
  const place = { cwd, env: { ...toChildEnvironment(env), ...mark.env } }
  const running = await launch(name, ['/bin/sh', '-c', command], place)
  const output = { stdout: collect(running.stdout), stderr: collect(running.stderr) }
  // A hook that does not read its payload closes the pipe: its own choice.
  running.stdin.on('error', () => {})
  running.stdin.end(stdin)
  try {
    const end = await Promise.race([ended(running), stopped(signal)])
    if (end.kind === 'failed') return end
    const [stdout, stderr] = [output.stdout(), output.stderr()]
    if (stdout === undefined) return { kind: 'failed', why: `printed more than ${MAX_OUTPUT / 1048576} MiB` }
    return { ...end, stdout, stderr: stderr ?? '' }
  } finally {
    await running.stop()
    await mark.end()
  }
}

type Exit = { readonly kind: 'ended'; readonly exitCode: number }
type Failure = { readonly kind: 'failed'; readonly why: string }

const ended = (running: OpenProcess): Promise<Exit | Failure> =>
  running.ended.then(
    ({ exitCode }) =>
      exitCode === undefined ? { kind: 'failed', why: 'was ended by a signal' } : { kind: 'ended', exitCode },
    (error: unknown) => ({ kind: 'failed', why: `could not start: ${errorMessage(error)}` }),
  )

const stopped = (signal: AbortSignal): Promise<Failure> =>
  new Promise((resolve) => {
    const leave = (): void => resolve({ kind: 'failed', why: 'took too long' })
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
  })

/** What it printed; nothing when that was too much. */
function collect(stream: Readable): () => string | undefined {
  const chunks: Buffer[] = []
  let length = 0
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= MAX_OUTPUT) chunks.push(chunk)
  })
  return () => (length > MAX_OUTPUT ? undefined : Buffer.concat(chunks).toString('utf8'))
}
