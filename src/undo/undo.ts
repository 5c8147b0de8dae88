/**
 * Undo for one session: what its runs did is written down as they do it, and can be taken back or done again, also after a
 * crash and also by another process. Without a folder everything lives in memory and ends with the session.
 */
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cleanControl } from '../lib/clean.ts'
import { clip } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import type { Restored, Undo, UndoableRun } from '../protocol/undo.ts'
import { diskBlobs, memoryBlobs, pruneDaily } from './blobs.ts'
import { diskJournal, type Journal, type JournalRun, memoryJournal, toRuns } from './journal.ts'
import { type RecordedRun, Recorder, type RecorderParts } from './recorder.ts'
import { type Direction, restore, type RestoreParts } from './restore.ts'
import { Shadow, type ShadowParts, type ShadowState } from './shadow.ts'

export type UndoParts = Pick<ShadowParts, 'root' | 'list' | 'isKept' | 'limits'> &
  Pick<RestoreParts, 'place'> & {
    /** Whether a command can change nothing. */
    isHarmless(command: string): Promise<boolean>
    /** Absent = in memory. */
    readonly folders?: UndoFolders
  }

type UndoFolders = {
  /** The session's own. */
  readonly session: string
  /** Contents of files, for all sessions of the project; beside those of other projects. */
  readonly contents: string
}

export type OpenUndo = Undo & {
  files(files: Files): Files
  exec(exec: Exec): Exec
  begin(run: RecordedRun): Promise<void>
  end(): Promise<void>
  close(): Promise<void>
}

const MAX_PROMPT = 200

export async function openUndo(parts: UndoParts): Promise<OpenUndo> {
  const { folders } = parts
  const blobs = folders ? diskBlobs(folders.contents) : memoryBlobs()
  const journal = folders ? diskJournal(journalIn(folders.session)) : memoryJournal()
  const shadow = new Shadow({ ...parts, blobs })
  if (folders && (await hasJournal(folders.session))) {
    await journal.open()
    await finishInterrupted(journal, shadow, folders)
  }
  const keeping = folders ? keepingIn(folders.session) : NOTHING_KEPT
  const recorder = new Recorder({ ...parts, blobs, journal, shadow, ...keeping })
  const runs = () => toRuns(journal.records())
  const move = async (choose: () => JournalRun, direction: Direction): Promise<Restored> => {
    if (recorder.isRecording()) throw new AppError('session-busy', BUSY)
    const { runId, prompt, changes, uncovered } = choose()
    const aside = folders && join(folders.session, 'conflicts', runId)
    const { isDone, ...moved } = await restore(changes, direction, {
      ...parts,
      blobs,
      ...(aside && { aside }),
    })
    if (isDone)
      journal.append(
        direction === 'before' ? { type: 'undone', runId, at: Date.now() } : { type: 'redone', runId },
      )
    return { runId, prompt, ...moved, uncovered }
  }
  return {
    runs: () => runs().map(toUndoable),
    undo: (wish) => move(() => toUndo(runs(), wish), 'before'),
    redo: () => move(() => toRedo(runs()), 'after'),
    files: (files) => recorder.files(files),
    exec: (exec) => recorder.exec(exec),
    async begin(run) {
      await journal.open()
      await recorder.begin({ ...run, prompt: clip(run.prompt.trim(), MAX_PROMPT) })
    },
    end: () => recorder.end(),
    async close() {
      await recorder.end()
      await journal.close()
      // Tidying up that fails is tried again another day.
      if (folders) await pruneDaily(dirname(folders.contents)).catch(() => undefined)
    },
  }
}

/** Whether there is anything to undo in the folder of a session. */
export const hasJournal = async (session: string): Promise<boolean> =>
  (await stat(journalIn(session)).catch(() => undefined)) !== undefined

const journalIn = (session: string): string => join(session, 'undo.jsonl')
const stateIn = (session: string): string => join(session, 'undo-files.json')

const BUSY = 'A run is in progress; wait for its end or cancel it, then undo.'

const toUndoable = ({ runId, at, prompt, isUndone, undoneAt, changes }: JournalRun): UndoableRun => ({
  runId,
  at,
  prompt,
  isUndone,
  ...(undoneAt !== undefined && { undoneAt }),
  paths: changes.map(({ path }) => path),
})

function toUndo(runs: readonly JournalRun[], wish: string | undefined): JournalRun {
  if (wish !== undefined) return requireRun(runs, wish)
  const found = runs.findLast(({ isUndone }) => !isUndone)
  if (found) return found
  throw new AppError('config-invalid', 'There is nothing to undo in this session.')
}

/**
 * The one run that is called so or begins so, also one that was undone: where there were conflicts, a person who has seen
 * to them asks again.
 */
export function requireRun<Run extends Pick<UndoableRun, 'runId'>>(runs: readonly Run[], wish: string): Run {
  const matching = runs.filter(
    ({ runId }) => wish !== '' && (runId.startsWith(wish) || runId.startsWith(`run-${wish}`)),
  )
  const [found, another] = matching
  const shown = `"${clip(cleanControl(wish), 60)}"`
  if (found && another) {
    throw new AppError('config-invalid', `Several runs begin with ${shown}; give more of its name.`)
  }
  if (found) return found
  throw new AppError('config-invalid', `No run ${shown} is there to undo; \`covey undo ls\` lists them.`)
}

function toRedo(runs: readonly JournalRun[]): JournalRun {
  const found = lastUndone(runs)
  if (found) return found
  throw new AppError('config-invalid', 'There is nothing to redo in this session.')
}

/** Of several at the same moment the earlier run: runs are undone last to first. */
export const lastUndone = <Run extends Pick<UndoableRun, 'undoneAt'>>(
  runs: readonly Run[],
): Run | undefined =>
  runs
    .filter(({ undoneAt }) => undoneAt !== undefined)
    .toSorted((one, other) => (other.undoneAt ?? 0) - (one.undoneAt ?? 0))[0]

type Keeping = Pick<RecorderParts, 'keepState' | 'stillGoesOn'>

const NOTHING_KEPT: Keeping = { keepState: async () => {}, stillGoesOn: async () => {} }

const keepingIn = (session: string): Keeping => ({
  keepState: (runId, state) => saveState(session, state && { ...state, runId }),
  stillGoesOn: () => utimes(stateIn(session), new Date(), new Date()).catch(() => undefined),
})

type KeptState = ShadowState & { readonly runId: string }

/** Best effort, and none rather than one of an earlier moment: nothing may be taken for changed that was not. */
async function saveState(session: string, state: KeptState | undefined): Promise<void> {
  const path = stateIn(session)
  try {
    if (state) return await writeFile(path, JSON.stringify(state), { mode: 0o600 })
  } catch {
    // Half of it is none.
  }
  await rm(path, { force: true }).catch(() => undefined)
}

/** What a command had changed when everything stopped is what differs from before it. */
async function finishInterrupted(journal: Journal, shadow: Shadow, folders: UndoFolders): Promise<void> {
  const path = stateIn(folders.session)
  for (const { runId, isOpen } of toRuns(journal.records())) {
    if (!isOpen) continue
    try {
      const state = JSON.parse(await readFile(path, 'utf8')) as KeptState
      if (state.runId !== runId) throw new Error('the files before it are not known')
      shadow.restore(state)
      const until = (await stat(path)).mtimeMs + LAST_BEAT_MS
      const { changes, uncovered, isWhole } = await shadow.look(AbortSignal.timeout(INTERRUPTED_MS), until)
      for (const change of changes) journal.append({ type: 'change', runId, ...change })
      for (const what of uncovered) journal.append({ type: 'uncovered', runId, what })
      if (!isWhole) journal.append({ type: 'uncovered', runId, what: INTERRUPTED })
    } catch {
      journal.append({ type: 'uncovered', runId, what: INTERRUPTED })
    }
    journal.append({ type: 'command-end', runId })
  }
}

const INTERRUPTED = 'what the command that was interrupted had changed'
const INTERRUPTED_MS = 20_000
/** How long after its last sign of life something may still be the command's doing. */
const LAST_BEAT_MS = 3_000
