/**
 * Wraps files and commands and records what a run does to the project: a tool's write before it happens, a
 * command's changes by looking at the files before and after it. Between runs it only passes things on.
 */
import { lstat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { isInside, toPosix } from '../lib/path.ts'
import { readRegular } from '../lib/read-regular.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Exec, ExecOptions, Files } from '../protocol/tool.ts'
import type { FileVersion } from '../protocol/undo.ts'
import { type Blobs, MAX_KEPT } from './blobs.ts'
import type { Journal } from './journal.ts'
import { isMissing, type Shadow, type ShadowState } from './shadow.ts'
import { defined } from '../lib/object.ts'

export type RecorderParts = {
  readonly root: string
  readonly blobs: Blobs
  readonly journal: Journal
  readonly shadow: Shadow
  /** Whether a command can change nothing. */
  isHarmless(command: string): Promise<boolean>
  isKept(path: string): boolean
  /** Where a path really leads, links followed; throws for one out of reach. */
  place(path: string): Promise<string>
  /** So that a crash in the middle of a command can be made good; without a state it cannot. */
  keepState(runId: string, state: ShadowState | undefined): Promise<void>
  /** Says that the command still goes on: what changes after the last time is not its doing. */
  stillGoesOn(): Promise<void>
}

export type RecordedRun = { readonly runId: string; readonly at: number; readonly prompt: string }

const TOO_MANY = 'what commands changed: the folder has too many files to keep'
/** Beyond it, files that were changed before are not what the journal says, and so stay. */
const MAX_RECORDS = 200_000
const TOO_LONG = 'what later commands changed: this session has changed too many files'
const NOT_SEEN = {
  changes: [],
  uncovered: ['what a command changed: the files could not be looked at'],
  isWhole: true,
}

/** A look after a cancelled command still has to be finished. */
const LOOK_MS = 20_000
const BEAT_MS = 1_000

export class Recorder {
  readonly #parts: RecorderParts
  #run: (RecordedRun & { isTold: boolean }) | undefined
  /** Commands under way, and programs that stay until the run ends. */
  #commands = 0
  /** The journal knows that a command is under way. */
  #isOpen = false
  #beat: NodeJS.Timeout | undefined
  /** Programs that may outlive their run. */
  #programs = 0
  #jobs: () => number = () => 0
  #looking: Promise<unknown> = Promise.resolve()

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /** What an earlier run started and still goes on is this run's doing from now on. */
  async begin(run: RecordedRun): Promise<void> {
    // What is done for a run before its first turn belongs to it: it has begun already.
    if (this.#run?.runId === run.runId) return
    this.#run = { ...run, isTold: false }
    if (this.#staying() > 0) await this.#inTurn(() => this.#before())
  }

  async end(): Promise<void> {
    try {
      if (this.#commands > 0) await this.#inTurn(() => this.#after(this.#commands))
    } finally {
      this.#run = undefined
      this.#stopBeat()
    }
  }

  isRecording(): boolean {
    return this.#run !== undefined
  }

  files(files: Files): Files {
    return {
      ...files,
      write: async (path, text) => {
        const place = await this.#inside(path)
        await this.#recordWrite(place, async (before) => ({
          hash: await this.#parts.blobs.put(Buffer.from(text)),
          mode: before?.mode ?? 0o644,
        }))
        await files.write(path, text)
        await this.#note(place)
      },
      remove: async (path) => {
        const place = await this.#inside(path)
        await this.#recordWrite(place, async () => undefined)
        await files.remove(path)
        await this.#note(place)
      },
    }
  }

  exec(exec: Exec): Exec {
    this.#jobs = () => exec.jobs().filter(({ state }) => state === 'running').length
    return {
      ...exec,
      shell: async (command, options) => {
        const readsOnly = options.readsOnly ?? (await this.#parts.isHarmless(command))
        if (readsOnly) return exec.shell(command, options)
        return this.#around(options, async () => {
          const result = await exec.shell(command, options)
          return { result, stays: result.job !== undefined }
        })
      },
      program: (argv, options) =>
        options.readsOnly
          ? exec.program(argv, options)
          : this.#around(options, async () => ({ result: await exec.program(argv, options), stays: false })),
      open: (argv, options = {}) =>
        this.#around(options, async () => {
          const program = await exec.open(argv, options)
          this.#programs++
          void program.ended.finally(() => this.#programs--).catch(() => undefined)
          return { result: program, stays: true }
        }),
      start: (command, options) =>
        options?.readsOnly
          ? exec.start(command, options)
          : this.#around({}, async () => ({ result: await exec.start(command, options), stays: true })),
    }
  }

  #staying(): number {
    return this.#programs + this.#jobs()
  }

  /** What stays is looked at again when the run ends. */
  async #around<T>(
    { signal }: Partial<Pick<ExecOptions, 'signal'>>,
    act: () => Promise<{ readonly result: T; readonly stays: boolean }>,
  ): Promise<T> {
    if (!this.#run) return (await act()).result
    let isOver = true
    try {
      await this.#inTurn(() => this.#before(signal))
      const { result, stays } = await act()
      isOver = !stays
      return result
    } finally {
      if (isOver) await this.#inTurn(() => this.#after(1))
    }
  }

  /** Two looks at the same time would each take half of the changes for none. */
  #inTurn<T>(job: () => Promise<T>): Promise<T> {
    const done = this.#looking.then(job)
    this.#looking = done.catch(() => undefined)
    return done
  }

  async #before(signal: AbortSignal = AbortSignal.timeout(LOOK_MS)): Promise<void> {
    const isFirst = this.#commands++ === 0
    const runId = this.#told()
    if (!isFirst || runId === undefined) return
    // What changed while no command ran is the person's own doing, and so not recorded.
    const problem = await this.#look(runId, signal)
    this.#parts.journal.append({ type: 'command-start', runId })
    this.#isOpen = true
    this.#beat ??= setInterval(() => void this.#parts.stillGoesOn(), BEAT_MS).unref()
    if (problem !== undefined) this.#uncovered(runId, problem)
  }

  /** Why commands cannot be undone, if they cannot: that is no reason not to run them. */
  async #look(runId: string, signal: AbortSignal): Promise<string | undefined> {
    const { shadow, keepState } = this.#parts
    try {
      const { isWhole } = await shadow.look(signal)
      await keepState(runId, shadow.state())
      return isWhole ? undefined : TOO_MANY
    } catch (error) {
      signal.throwIfAborted()
      await keepState(runId, undefined)
      return `what commands changed: ${errorMessage(error)}`
    }
  }

  async #after(count: number): Promise<void> {
    this.#commands = Math.max(0, this.#commands - count)
    const runId = this.#told()
    if (runId === undefined || !this.#isOpen) return
    const { journal, shadow } = this.#parts
    const seen = await shadow.look(AbortSignal.timeout(LOOK_MS)).catch(() => NOT_SEEN)
    const hasRoom = journal.records().length + seen.changes.length <= MAX_RECORDS
    for (const change of hasRoom ? seen.changes : []) journal.append({ type: 'change', runId, ...change })
    if (!hasRoom) this.#uncovered(runId, TOO_LONG)
    for (const what of seen.uncovered) this.#uncovered(runId, what)
    if (!seen.isWhole) this.#uncovered(runId, TOO_MANY)
    if (this.#commands > 0) return
    journal.append({ type: 'command-end', runId })
    this.#isOpen = false
    this.#stopBeat()
  }

  #stopBeat(): void {
    clearInterval(this.#beat)
    this.#beat = undefined
  }

  #uncovered(runId: string, what: string): void {
    this.#parts.journal.append({ type: 'uncovered', runId, what })
  }

  async #recordWrite(
    path: string | undefined,
    afterOf: (before: FileVersion | undefined) => Promise<FileVersion | undefined>,
  ): Promise<void> {
    const { journal, isKept } = this.#parts
    if (!this.#run || path === undefined) return
    const found = isKept(path) ? await this.#versionOf(path) : 'unknown'
    const runId = this.#told()
    if (runId === undefined) return
    if (found === 'unknown') return this.#uncovered(runId, path)
    const after = await afterOf(found)
    journal.append({ type: 'change', runId, path, ...defined({ before: found, after }) })
  }

  async #note(path: string | undefined): Promise<void> {
    if (this.#run && path !== undefined) await this.#inTurn(() => this.#parts.shadow.note(path))
  }

  /** From the root, as the file is called that is really written; nothing for what lies outside. */
  async #inside(path: string): Promise<string | undefined> {
    const { root, place } = this.#parts
    if (!this.#run) return undefined
    const real = await place(path).catch(() => resolve(root, path))
    return real !== root && isInside(root, real) ? toPosix(relative(root, real)) : undefined
  }

  async #versionOf(path: string): Promise<FileVersion | undefined | 'unknown'> {
    const real = join(this.#parts.root, path)
    try {
      const info = await lstat(real)
      if (!info.isFile() || info.size > MAX_KEPT) return 'unknown'
      const file = await readRegular(real, MAX_KEPT)
      if (!file) return 'unknown'
      return { hash: await this.#parts.blobs.put(file.bytes), mode: info.mode & 0o7777 }
    } catch (error) {
      if (isMissing(error)) return undefined
      if (error instanceof AppError) throw error
      return 'unknown'
    }
  }

  /** A run that changes nothing leaves no record. */
  #told(): string | undefined {
    const run = this.#run
    if (!run) return undefined
    if (!run.isTold) {
      const { runId, at, prompt } = run
      this.#parts.journal.append({ type: 'run', runId, at, prompt })
      run.isTold = true
    }
    return run.runId
  }
}
