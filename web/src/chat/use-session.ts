import { useEffect, useState, useSyncExternalStore } from 'react'
import { SessionStore, type Snapshot } from './session-store.ts'

/** Follows a session for as long as the component shows it. */
export function useSession(id: string): Snapshot | undefined {
  const [store, setStore] = useState<SessionStore>()
  useEffect(() => {
    const opened = new SessionStore(id)
    setStore(opened)
    return () => opened.close()
  }, [id])
  const snapshot = useSyncExternalStore(store?.subscribe ?? nothing, store?.snapshot ?? (() => undefined))
  return store?.id === id ? snapshot : undefined
}

const nothing = () => () => undefined
