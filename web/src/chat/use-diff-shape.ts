/** Unified or side by side: one choice for all diffs of the page, kept with the tab. */
import { useSyncExternalStore } from 'react'

export type DiffShape = 'unified' | 'split'

const KEY = 'covey-diff'
const listeners = new Set<() => void>()
const current = (): DiffShape => (sessionStorage.getItem(KEY) === 'split' ? 'split' : 'unified')

export function useDiffShape(): readonly [DiffShape, (shape: DiffShape) => void] {
  const shape = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, current)
  return [shape, choose]
}

function choose(shape: DiffShape): void {
  sessionStorage.setItem(KEY, shape)
  for (const listener of listeners) listener()
}
