/**
 * Going back in an open conversation: what the user said, what came of it in files, and restoring them. A conversation that
 * continues from an earlier message has runs of the session it comes from; what those changed is in that session's journal.
 */
import type { Back, EarlierMessage } from '../protocol/back.ts'
import { AppError } from '../protocol/error.ts'
import type { Restored, Undo, UndoableRun, UndoService } from '../protocol/undo.ts'
import type { SessionStore } from '../session/store.ts'

export type BackParts = {
  readonly id: string
  readonly store: Pick<SessionStore, 'read' | 'ownMessages'>
  /** Of the open session. */
  readonly undo: Undo
  /** Of all sessions of the folder; absent where nothing is kept. */
  openUndo?(): Promise<UndoService>
}

export function createBack({ id, store, undo, openUndo }: BackParts): Back {
  const isOwn = (runId: string): boolean => undo.runs().some((run) => run.runId === runId)
  const runsOf = async (runIds: readonly string[]): Promise<readonly UndoableRun[]> => {
    const own = undo.runs()
    const isForeign = runIds.length > 0 && openUndo !== undefined
    return isForeign ? [...(await (await openUndo()).runs()), ...own] : own
  }
  return {
    async messages() {
      const { openRun, waiting } = await store.read(id)
      if (openRun !== undefined || waiting.length > 0) throw new AppError('session-busy', BUSY)
      const said = await store.ownMessages(id)
      const runs = await runsOf(said.map(({ runId }) => runId).filter((runId) => !isOwn(runId)))
      const changed = new Map(
        runs.filter(({ isUndone }) => !isUndone).map(({ runId, paths }) => [runId, paths]),
      )
      return said.map((message): EarlierMessage => ({
        ...message,
        changed: changed.get(message.runId) ?? [],
      }))
    },
    async restore(runIds) {
      const restored: Restored[] = []
      for (const runId of runIds) {
        const service = isOwn(runId) ? undo : await openUndo?.()
        if (service) restored.push(await service.undo(runId))
      }
      return restored
    },
  }
}

const BUSY = 'A run is in progress; stop it first (Esc, or Ctrl+C line by line), then go back.'
