/**
 * Joins undo with the guard and the sessions on disk: which files may be kept, which commands change nothing, where a
 * path may be put back. For open sessions, and for `covey undo` beside them.
 */
import { join, resolve } from 'node:path'
import { appPaths } from '../config/paths.ts'
import { containPath } from '../guard/paths/contain.ts'
import { createExec } from '../guard/exec.ts'
import { createFiles } from '../guard/paths/files.ts'
import { judgeCommand } from '../guard/shell/judge.ts'
import { protectionOf } from '../guard/paths/protected-names.ts'
import { shortHash } from '../lib/hash.ts'
import { listProject } from '../lib/list-project.ts'
import { acquireLock } from '../lib/lock.ts'
import { AppError } from '../protocol/error.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import type { Evidence } from '../protocol/routing.ts'
import type { Restored, Undo, UndoableRun, UndoService } from '../protocol/undo.ts'
import type { StartRun } from '../session/run.ts'
import type { SessionParts } from '../session/session.ts'
import { createSessionStore } from '../session/store.ts'
import { hasJournal, lastUndone, type OpenUndo, openUndo, requireRun } from '../undo/undo.ts'

export type UndoContext = {
  readonly files: Pick<Files, 'root' | 'list'>
  readonly exec: Pick<Exec, 'program'>
  readonly dataFolder: string
  /** The session's own folder; absent = nothing is written down. */
  readonly folder?: string
}

/** Looking must not hold up a command for longer than a person would wait. */
const LIST_MS = 10_000

export function openUndoFor({ files, exec, dataFolder, folder }: UndoContext): Promise<OpenUndo> {
  const { root } = files
  return openUndo({
    root,
    async list(signal) {
      // One limit for all of it: a large folder is listed in many pieces.
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])
      const { paths, isPartial } = await listProject({ files, exec, timeoutMs: LIST_MS }, limit)
      return isPartial ? undefined : paths
    },
    isKept: (path) => protectionOf(path) !== 'secret',
    isHarmless: async (command) => (await judgeCommand(command)).kind === 'read-only',
    place: (path) => placeIn(root, path),
    ...(folder !== undefined && {
      folders: { session: folder, contents: join(dataFolder, 'undo', shortHash(root)) },
    }),
  })
}

/** Runs whose doings are written down. */
export type Recording = {
  /** The same run, with what it does to files written down. */
  during(startRun: StartRun): StartRun
  /** The same, with what is run for a prompt before its run counted as the run's own. */
  before(compose: SessionParts['compose']): SessionParts['compose']
}

type SessionUndo = Undo & Recording

export const notRecorded: Recording = { during: (startRun) => startRun, before: (compose) => compose }

type SessionUndoParts = {
  /** What of a prompt may be written down. */
  clean(prompt: string): string
  /** Reports whether a run's changes were kept, for the router's record. */
  report?(runId: string, evidence: Evidence): void
}

/** A user who continues with another prompt accepts what the run before did. */
export function sessionUndo(undo: OpenUndo, { clean, report }: SessionUndoParts): SessionUndo {
  let unjudged: string | undefined
  const judge = (evidence: Evidence): void => {
    if (unjudged !== undefined) report?.(unjudged, evidence)
    unjudged = undefined
  }
  return {
    runs: () => undo.runs(),
    async undo(wish) {
      const restored = await undo.undo(wish)
      if (restored.runId === unjudged) judge('edit-undone')
      return restored
    },
    redo: () => undo.redo(),
    before: (compose) => async (prompt, run, signal) => {
      judge('edit-kept')
      await undo.begin({ runId: run.runId, at: Date.now(), prompt: clean(run.prompt) })
      try {
        return await compose(prompt, run, signal)
      } catch (error) {
        await undo.end()
        throw error
      }
    },
    during: (startRun) =>
      async function* (run, signal) {
        judge('edit-kept')
        await undo.begin({ runId: run.runId, at: Date.now(), prompt: clean(run.prompt) })
        try {
          return yield* startRun(run, signal)
        } finally {
          await undo.end()
          if (undo.runs().at(-1)?.runId === run.runId) unjudged = run.runId
        }
      },
  }
}

/** It is the person who puts files back: what a model may not write may be written, what lies outside may not. */
async function placeIn(root: string, path: string): Promise<string> {
  const { ok, real, why } = await containPath(resolve(root, path), { roots: [root], operation: 'read' })
  if (ok && real !== undefined) return real
  throw new AppError('permission-denied', why ?? 'it is out of reach')
}

type Found = UndoableRun & { readonly session: string }

/** What can be seen now; the runs of a session that is in use cannot. */
type Seen = { readonly found: readonly Found[]; readonly busy?: AppError }

/** Every run of this folder that is kept, of any session. */
export async function openUndoService(env: NodeJS.ProcessEnv, cwd: string): Promise<UndoService> {
  const { sessionsFolder, dataFolder } = appPaths(env, process.platform)
  const files = createFiles({ root: cwd })
  const store = createSessionStore({ folder: sessionsFolder })
  const within = async <T>(id: string, use: (undo: OpenUndo) => Promise<T>): Promise<T> => {
    const folder = join(sessionsFolder, id)
    const lock = await acquireLock(folder, (pid) => inUse(id, pid))
    const exec = createExec({ cwd: files.root, env })
    try {
      const undo = await openUndoFor({ files, exec, dataFolder, folder })
      return await use(undo).finally(() => undo.close())
    } finally {
      await exec.close()
      await lock.release()
    }
  }
  const look = async (): Promise<Seen> => {
    const found: Found[] = []
    let busy: AppError | undefined
    for (const { id } of await store.list(files.root)) {
      if (!(await hasJournal(join(sessionsFolder, id)))) continue
      const runs = await within(id, async (undo) => undo.runs()).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'session-busy') throw error
        busy = error
        return []
      })
      found.push(...runs.map((run) => ({ ...run, session: id })))
    }
    return { found: found.toSorted((one, other) => one.at - other.at), ...(busy && { busy }) }
  }
  return {
    runs: async () => (await look()).found,
    async undo(wish) {
      const { session, runId } = toUndo(await look(), wish)
      return within(session, (undo) => undo.undo(runId))
    },
    async redo() {
      const undone = lastUndone((await look()).found)
      if (!undone) throw new AppError('config-invalid', 'There is nothing to redo in this folder.')
      return within(undone.session, (undo): Promise<Restored> => undo.redo())
    },
  }
}

const inUse = (id: string, pid: number): string =>
  `Session ${id} is open in another terminal (process ${pid}); type /undo there, or end it first.`

function toUndo({ found, busy }: Seen, wish: string | undefined): Found {
  if (wish !== undefined && (!busy || found.some(({ runId }) => runId.includes(wish))))
    return requireRun(found, wish)
  // What happened last, or what is named, may have happened there.
  if (busy) throw busy
  const last = found.findLast(({ isUndone }) => !isUndone)
  if (last) return last
  throw new AppError('config-invalid', 'There is nothing to undo in this folder.')
}
