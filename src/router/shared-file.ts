/**
 * A small state in one JSON file that several processes may change. In memory a change holds at once; in the file it is
 * made again, under a lock, on what the file says by then, so that no change is lost. The file is replaced as a
 * whole: a killed process leaves the old one or the new one.
 */
import { mkdir, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf, storageError, writeAtomic } from '../lib/atomic-write.ts'
import { waitForLock } from '../lib/lock.ts'
import { errorMessage } from '../protocol/error.ts'

type Change<State> = (state: State) => State

export type SharedFile<State> = {
  state(): State
  /** `change` looks at nothing but the state it is given: it is applied twice. */
  update(change: Change<State>): void
  /** The same, but it reaches the file with the next update or flush, or once there are many: for what may be lost. */
  defer(change: Change<State>): void
  /** Everything changed so far is on disk, or `onProblem` got the reason. */
  flush(): Promise<void>
}

export type SharedFileParts<State> = {
  /** Absent = in memory only. */
  readonly path?: string
  /** What is there is read; changes stay in memory. */
  readonly readOnly?: boolean
  readonly empty: State
  /** Throws on what cannot be used. */
  parse(value: unknown): State
  onProblem(message: string): void
}

export async function openSharedFile<State>(parts: SharedFileParts<State>): Promise<SharedFile<State>> {
  const { path, empty, readOnly } = parts
  if (path === undefined) return inMemory(empty)
  if (readOnly) return inMemory(await first(path, parts))
  let state: State = await first(path, parts)
  let waiting: Change<State>[] = []
  let writing: Promise<void> | undefined

  const write = async () => {
    try {
      while (waiting.length > 0) {
        const changes = waiting
        waiting = []
        const written = await rewrite(path, parts, changes).catch((error: unknown) => {
          waiting = [...changes, ...waiting].slice(-MAX_WAITING)
          throw error
        })
        state = applyAll(waiting, written)
      }
    } catch (error) {
      parts.onProblem(cannotKeep(error))
    } finally {
      // Before anybody else can run: a change that comes now must start a new write.
      writing = undefined
    }
  }
  const start = (): Promise<void> => {
    writing ??= write()
    return writing
  }
  const add = (change: Change<State>, isUrgent: boolean) => {
    state = change(state)
    waiting.push(change)
    // At a multiple, so that a disk that takes nothing is not asked again for each of them.
    if (isUrgent || waiting.length % MOST_DEFERRED === 0) void start()
  }
  return {
    state: () => state,
    update: (change) => add(change, true),
    defer: (change) => add(change, false),
    async flush() {
      await writing
      if (waiting.length > 0) await start()
    },
  }
}

function applyAll<State>(changes: readonly Change<State>[], state: State): State {
  let changed = state
  for (const change of changes) changed = change(changed)
  return changed
}

/** A server may run for weeks without a run that says anything about its arm. */
const MOST_DEFERRED = 200

/** Of changes that no disk would take, the newest are tried again. */
const MAX_WAITING = 1_000

function inMemory<State>(begin: State): SharedFile<State> {
  let state = begin
  const change = (next: Change<State>) => void (state = next(state))
  return {
    state: () => state,
    update: change,
    defer: change,
    flush: async () => {},
  }
}

/** Where even reading is refused the program goes on without; nothing is written over what could not be read. */
const first = <State>(path: string, parts: SharedFileParts<State>): Promise<State> =>
  load(path, parts).catch((error: unknown) => {
    parts.onProblem(cannotKeep(error))
    return parts.empty
  })

const cannotKeep = (error: unknown): string => `The router's record cannot be kept: ${errorMessage(error)}`

async function load<State>(
  path: string,
  { empty, parse, onProblem, readOnly }: SharedFileParts<State>,
): Promise<State> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw storageError(path, error)
  })
  if (text === undefined) return empty
  try {
    return parse(JSON.parse(text))
  } catch {
    if (readOnly) return empty
    await rename(path, `${path}.damaged`).catch(() => undefined)
    onProblem(`${path} could not be read; it is kept as ${path}.damaged, and learning starts anew.`)
    return empty
  }
}

async function rewrite<State>(
  path: string,
  parts: SharedFileParts<State>,
  changes: readonly Change<State>[],
): Promise<State> {
  await mkdir(dirname(path), { recursive: true })
  const lock = await waitForLock(path)
  try {
    const current = await load(path, parts)
    const next = applyAll(changes, current)
    await writeAtomic(path, `${JSON.stringify(next)}\n`, { mode: 0o600 })
    return next
  } finally {
    await lock.release()
  }
}
