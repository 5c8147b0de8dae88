/**
 * Undo for one session: what its runs did is written down as they do it, and can be taken back or done again, also after a
 * crash and also by another process. Without a folder everything lives in memory and ends with the session.
 */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clip } from '../lib/text.ts'
import { AppError } from '../protocol/error.ts'
import type { Exec, Files } from '../protocol/tool.ts'
import type { Restored, Undo } from '../protocol/undo.ts'
import { diskBlobs, memoryBlobs } from './blobs.ts'
import { diskJournal, type Journal, type JournalRun, memoryJournal, toRuns } from './journal.ts'
import { type RecordedRun, Recorder } from './recorder.ts'
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
  /** Contents of files, for all sessions of the project. */
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
  const { root, folders, isHarmless, isKept } = parts
  const blobs = folders ? diskBlobs(folders.contents) : memoryBlobs()
  const journal = folders ? diskJournal(journalIn(folders.session)) : memoryJournal()
  const shadow = new Shadow({ ...parts, blobs })
  if (folders && (await hasJournal(folders.session))) {
    await journal.open()
    await finishInterrupted(journal, shadow, folders)
  }
  const keepState = folders ? (state: ShadowState) => saveState(folders.session, state) : async () => {}
  const recorder = new Recorder({ root, blobs, journal, shadow, isHarmless, isKept, keepState })
  const runs = () => toRuns(journal.records())
  const move = async (run: JournalRun, direction: Direction): Promise<Restored> => {
    const { runId, prompt, changes, uncovered } = run
    const aside = folders && join(folders.session, 'conflicts', runId)
    const moved = await restore(changes, direction, { ...parts, blobs, ...(aside && { aside }) })
    journal.append({ type: direction === 'before' ? 'undone' : 'redone', runId })
    return { runId, prompt, ...moved, uncovered }
  }
  return {
    runs: () =>
      runs().map(({ runId, at, prompt, changes, isUndone }) => ({
        runId,
        at,
        prompt,
        isUndone,
        paths: changes.map(({ path }) => path),
      })),
    undo: async (runId) => move(toUndo(runs(), runId), 'before'),
    redo: async () => move(toRedo(runs(), journal), 'after'),
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
      if (folders && (await isDue(folders.contents))) await blobs.prune()
    },
  }
}

/** Whether there is anything to undo in the folder of a session. */
export const hasJournal = async (session: string): Promise<boolean> =>
  (await stat(journalIn(session)).catch(() => undefined)) !== undefined

const journalIn = (session: string): string => join(session, 'undo.jsonl')
const stateIn = (session: string): string => join(session, 'undo-files.json')

function toUndo(runs: readonly JournalRun[], wish: string | undefined): JournalRun {
  const found =
    wish === undefined
      ? runs.findLast(({ isUndone }) => !isUndone)
      : runs.find(({ runId, isUndone }) => !isUndone && runId.startsWith(wish))
  if (found) return found
  throw new AppError('config-invalid', wish === undefined ? NOTHING : `No run "${wish}" is there to undo.`)
}

const NOTHING = 'There is nothing to undo in this session.'

function toRedo(runs: readonly JournalRun[], journal: Journal): JournalRun {
  const last = journal.records().findLast(({ type }) => type === 'undone')
  const found = runs.find(({ runId, isUndone }) => isUndone && runId === last?.runId)
  if (found) return found
  throw new AppError('config-invalid', 'There is nothing to redo in this session.')
}

async function saveState(session: string, state: ShadowState): Promise<void> {
  await writeFile(stateIn(session), JSON.stringify(state), { mode: 0o600 })
}

/** What a command had changed when everything stopped is what differs from before it. */
async function finishInterrupted(journal: Journal, shadow: Shadow, folders: UndoFolders): Promise<void> {
  const open = toRuns(journal.records()).findLast(({ isOpen }) => isOpen)
  if (!open) return
  const { runId } = open
  try {
    shadow.restore(JSON.parse(await readFile(stateIn(folders.session), 'utf8')) as ShadowState)
    const { changes, uncovered } = await shadow.look(AbortSignal.timeout(INTERRUPTED_MS))
    for (const change of changes) journal.append({ type: 'change', runId, ...change })
    for (const what of uncovered) journal.append({ type: 'uncovered', runId, what })
  } catch {
    journal.append({ type: 'uncovered', runId, what: 'what the command that was interrupted had changed' })
  }
  journal.append({ type: 'command-end', runId })
}

const INTERRUPTED_MS = 20_000
const DAY_MS = 86_400_000

/** Once a day for a project. */
async function isDue(contents: string): Promise<boolean> {
  const marker = join(contents, 'pruned')
  const info = await stat(marker).catch(() => undefined)
  if (info && Date.now() - info.mtimeMs < DAY_MS) return false
  await mkdir(contents, { recursive: true, mode: 0o700 })
  await writeFile(marker, '')
  return info !== undefined
}
