/**
 * A look at the tree that misses nothing hidden. While a job moves folders about, a walk may come to each place just
 * after what it looks for has left; what was hidden before and is not found now is looked for again, and while folders
 * still move nothing is run.
 */
import { lstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../protocol/error.ts'
import { hiddenEntries } from './hidden-files.ts'
import type { Tree, TreeState } from './tree.ts'

const MOST_LOOKS = 20
/** In a row, without a folder that moved: then it is gone. */
const QUIET_LOOKS = 2
/** Longer than the clock of any file system ticks. */
const TICK_MS = 12

export const MOVING =
  'The command was not run: files of the project were renamed while its sandbox was put up, each time anew. A background job does that; stop it first, or wait until it is done.'

export function createSteadyLook(tree: Pick<Tree, 'refresh'>): () => Promise<TreeState> {
  let known: ReadonlySet<string> = new Set()
  return async () => {
    for (let looks = 1, quiet = 0; looks <= MOST_LOOKS; looks++) {
      const state = await tree.refresh()
      const found = idsOf(state)
      quiet = state.isMoving ? 0 : quiet + 1
      if (quiet >= QUIET_LOOKS || [...known].every((id) => found.has(id))) {
        known = found
        return state
      }
      await pause(TICK_MS)
    }
    throw new AppError('tool-failed', MOVING)
  }
}

function idsOf(state: TreeState): ReadonlySet<string> {
  const ids = hiddenEntries(state).map(({ path }) => {
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return info ? `${info.dev}:${info.ino}` : ''
  })
  return new Set(ids.filter((id) => id !== ''))
}
