import { AppError } from '../protocol/error.ts'
import type { SessionStart } from './log.ts'
import type { SessionStore, StoredSession } from './store.ts'

export type Resume = 'new' | 'last' | { readonly id: string }

export async function openStored(
  store: SessionStore,
  resume: Resume,
  start: SessionStart,
): Promise<StoredSession> {
  if (resume === 'new') return store.create(start)
  if (resume !== 'last') return store.open(resume.id, start)
  const last = await store.last(start.cwd)
  if (!last)
    throw new AppError(
      'session-unknown',
      'There is no session of this folder to resume; start without --resume.',
    )
  return store.open(last.id, start)
}
