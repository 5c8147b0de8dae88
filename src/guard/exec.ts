/**
 * The only way to a child process, inside the sandbox where there is one. What may run at all is decided before, by
 * `permissions.ts`. stdin is closed but for programs that stay, the environment carries no secrets, output is bounded,
 * nothing outlives the session.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { AppError } from '../protocol/error.ts'
import type { Exec, ExecOptions, ExecResult, Job } from '../protocol/tool.ts'
import {
  type GroupOptions,
  openProcess,
  type ProcessGroup,
  type RunningProcess,
  startProcess,
} from '../lib/process.ts'
import { toChildEnvironment } from './sandbox/environment.ts'
import { type CollectedChanges, collectChanges } from './executable/collect.ts'
import type { Watch } from './executable/watch.ts'
import { interactiveHint } from './interactive.ts'
import { createJobs, type Jobs, requireRoom } from './jobs.ts'
import { toLive } from './live-output.ts'
import { placeGrant } from './permission/grant-for.ts'
import { toProgram } from './program.ts'
import { type ClosedHistory, historyTerms } from './permission/history.ts'
import { explainFailure } from './sandbox/explain.ts'
import type { Entered, Sandbox, Terms } from './sandbox/context.ts'
import { MOVING } from './sandbox/steady-look.ts'

export type ExecParts = {
  readonly cwd: string
  /** Absent = this process's own, less what looks like a secret. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Absent = commands run as the person would run them. */
  readonly sandbox?: Sandbox
  /** Compares executable configuration around everything that may write; absent = no comparison. */
  readonly watch?: Watch
  /** Covey's own folders: nothing that holds or lies in one is ever opened to a command. */
  readonly hidden?: readonly string[]
  /** Absent = the home folder of this process. */
  readonly home?: string
  /** A rule closes paths that git may have in its history. */
  readonly history?: ClosedHistory
}

export type ClosableExec = Exec & {
  /** Ends everything that still runs. */
  close(): Promise<void>
}

export function createExec(parts: ExecParts): ClosableExec {
  const termsFor = historyTerms(parts.history)
  const jobs = createJobs()
  const changes = collectChanges(parts.watch)
  const starter = createStarter({ ...parts, changes })

  async function run<T extends ExecResult>(
    { argv, command }: Line,
    options: ExecOptions,
    watch: (running: RunningProcess) => Promise<T>,
  ): Promise<T> {
    const live = toLive(options.onOutput)
    const clearGrant = await placeGrant(options.grant)
    const terms = await termsFor(command, options)
    const started = await starter.start(argv, printing(live.add), terms)
    const result = await watch(started.running).finally(live.end)
    if (started.running.isRunning()) await changes.compare()
    else await started.left
    await clearGrant(result.exitCode !== 0)
    return explainFailure(result, parts, { command, terms })
  }

  return {
    async shell(command, options) {
      refuseInteractive(command)
      if (options.signal.aborted) return NOT_STARTED
      const line = { argv: shellArgv(command), command }
      return run(line, options, (running) => watchShell(command, running, { options, jobs }))
    },
    async program(argv, options) {
      if (options.signal.aborted) return NOT_STARTED
      return run({ argv, command: argv.join(' ') }, options, (running) => watchProgram(running, options))
    },
    async start(command, terms) {
      refuseInteractive(command)
      requireRoom(jobs.list())
      const { running } = await starter.start(shellArgv(command), printing(), await termsFor(command, terms))
      return jobs.adopt(command, running)
    },
    async open(argv, { signal, readsOnly = false, showsHistory = false } = {}) {
      signal?.throwIfAborted()
      return toProgram((await starter.start(argv, openProcess, { readsOnly, showsHistory })).running, signal)
    },
    ...watchedJobs(jobs, changes),
    ...(parts.watch && { executable: changes.take }),
    async close() {
      await Promise.all([jobs.close(), starter.stopAll()])
    },
  }
}

/** What a job did is known with each look at it. */
const watchedJobs = (jobs: Jobs, changes: CollectedChanges): Pick<Exec, 'poll' | 'stop' | 'jobs'> => ({
  async poll(id) {
    const look = jobs.poll(id)
    await changes.compare()
    return look
  },
  async stop(id) {
    const job = await jobs.stop(id)
    await changes.compare()
    return job
  },
  jobs: () => jobs.list(),
})

/** What is started, and how the person would write it. */
type Line = { readonly argv: readonly string[]; readonly command: string }

type Begin<Running extends ProcessGroup> = (argv: readonly string[], place: GroupOptions) => Running

const printing =
  (onOutput: (bytes: Buffer) => void = () => {}): Begin<RunningProcess> =>
  (argv, place) =>
    startProcess(argv, { ...place, onOutput })

/** A process, and when everything that was put up for it is taken down again. */
type Started<Running> = { readonly running: Running; readonly left: Promise<void> }

type StarterParts = ExecParts & { readonly changes: CollectedChanges }

export function createStarter({ cwd, env = process.env, sandbox, changes }: StarterParts) {
  const all = new Set<Started<ProcessGroup>>()
  let isStopping = false
  return {
    async start<Running extends ProcessGroup>(
      argv: readonly string[],
      begin: Begin<Running>,
      terms?: Terms,
    ): Promise<Started<Running>> {
      // What cannot write has nothing to be compared.
      const compared = sandbox && terms?.readsOnly ? undefined : await changes.begin()
      return enter().catch(async (error: unknown) => {
        await compared?.over()
        throw error
      })

      async function enter(attempt = 1): Promise<Started<Running>> {
        const entered = await sandbox?.enter(argv, terms)
        const childEnv = { ...toChildEnvironment(env, entered), ...gitEnvironment(terms) }
        const { descriptors } = entered ?? {}
        const place = { cwd, env: childEnv, ...(descriptors && { descriptors }) }
        const running = begin(entered?.argv ?? argv, place)
        let isMeant = true
        const leave = async (): Promise<void> => {
          await entered?.leave()
          const wasKilled = sandbox !== undefined && (await isKilled(running))
          if (isMeant) await compared?.over({ isRunning: running.isRunning, wasKilled })
          all.delete(started)
        }
        const started: Started<Running> = { running, left: running.ended.then(leave, leave) }
        all.add(started)
        const state = entered ? await release(running, entered) : 'released'
        if (state === 'released') return started
        // What it was made of may have gone meanwhile. The last one that fell says why by its output.
        if (state === 'fallen' && (attempt === MOST_ATTEMPTS || isStopping)) return started
        isMeant = false
        await running.stop()
        await started.left
        if (attempt === MOST_ATTEMPTS) throw new AppError('tool-failed', MOVING)
        return enter(attempt + 1)
      }
    },
    async stopAll(): Promise<void> {
      isStopping = true
      await Promise.all(Array.from(all, ({ running, left }) => running.stop().then(() => left)))
    },
  }
}

/** Which repository git works on; what it would only write to be faster next time it may skip. */
const gitEnvironment = ({ readsOnly, keepsRepository, repository }: Terms = {}) => ({
  ...((readsOnly || keepsRepository) && { GIT_OPTIONAL_LOCKS: '0' }),
  ...(repository && { GIT_DIR: repository.gitFolder, GIT_WORK_TREE: repository.workTree }),
})

const isKilled = ({ ended }: ProcessGroup): Promise<boolean> =>
  ended.then(
    ({ exitCode }) => exitCode === undefined,
    () => false,
  )

const MOST_ATTEMPTS = 8
/** Moved: the project is not what the sandbox was made for. Fallen: it never stood, so nothing was run in it. */
type Released = 'released' | 'moved' | 'fallen'

/** A sandbox that stands says so and waits. */
async function release({ channel, ended }: ProcessGroup, { isAsPlanned }: Entered): Promise<Released> {
  if (!channel || !isAsPlanned) return 'released'
  channel.on('error', () => {})
  const stands = await Promise.race([
    once(channel, 'data').then(
      () => true,
      () => false,
    ),
    once(channel, 'close').then(() => false),
    ended.then(
      () => false,
      () => false,
    ),
  ])
  if (!isAsPlanned()) return 'moved'
  if (!stands) return 'fallen'
  channel.end('go\n')
  return 'released'
}

const NOT_STARTED: ExecResult = { exitCode: undefined, output: '', timedOut: false, omittedBytes: 0 }

function refuseInteractive(command: string): void {
  const hint = interactiveHint(command)
  if (hint) throw new AppError('tool-failed', hint)
}

const SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'

/** stderr joins stdout in the child, so that the two come in the order they were written. */
const shellArgv = (command: string): readonly string[] => [
  SHELL,
  '-c',
  'exec "$0" -c "$1" 2>&1',
  SHELL,
  command,
]

type Watching = { readonly options: ExecOptions; readonly jobs: Jobs }

async function watchShell(
  command: string,
  running: RunningProcess,
  { options, jobs }: Watching,
): Promise<ExecResult & { readonly job?: Job }> {
  const end = await untilEndOrLimit(running, options)
  if (end === 'cancelled') await running.stop()
  const goesOn = end === 'late' || (typeof end === 'object' && end.lingering)
  return {
    ...toResult(end, running),
    ...(goesOn && { job: jobs.adopt(command, running) }),
  }
}

async function watchProgram(running: RunningProcess, options: ExecOptions): Promise<ExecResult> {
  const end = await untilEndOrLimit(running, options)
  await running.stop()
  return toResult(end, running)
}

type End = { readonly exitCode: number | undefined; readonly lingering: boolean } | 'late' | 'cancelled'

function toResult(end: End, running: RunningProcess): ExecResult {
  const { text, omittedBytes } = running.take()
  return {
    exitCode: typeof end === 'object' ? end.exitCode : undefined,
    output: text,
    timedOut: end === 'late',
    omittedBytes,
  }
}

async function untilEndOrLimit(running: RunningProcess, { timeoutMs, signal }: ExecOptions): Promise<End> {
  const done = new AbortController()
  const cut = new Promise<End>((resolve) => {
    const timer = setTimeout(() => resolve('late'), timeoutMs)
    const cancel = (): void => resolve('cancelled')
    signal.addEventListener('abort', cancel, { signal: done.signal })
    done.signal.addEventListener('abort', () => clearTimeout(timer))
    if (signal.aborted) cancel()
  })
  try {
    return await Promise.race([running.ended, cut])
  } finally {
    done.abort()
  }
}
