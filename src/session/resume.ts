import { AppError } from '../protocol/error.ts'
import type { SessionStore, Starting, StoredSession } from './store.ts'

export type Resume = 'new' | 'last' | { readonly id: string }

export async function openStored(
  store: SessionStore,
  resume: Resume,
  { cwd, start }: { readonly cwd: string; readonly start: Starting },
): Promise<StoredSession> {
  if (resume === 'new') return store.create(start)
  if (resume !== 'last') return store.open(resume.id, start)
  const last = await store.last(cwd)
  if (!last)
    throw new AppError('session-unknown', 'No session of this folder can be resumed; start without --resume.')
  return store.open(last.id, start)
}
