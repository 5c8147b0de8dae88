/** A change that was worked out and written down instead of made: a person looks at it and applies it, or not. */
import type { FileChange } from './tool.ts'

export type Proposal = {
  /** Sorts by time. */
  readonly id: string
  readonly createdAt: string
  readonly state: 'proposed' | 'applied' | 'rejected'
  readonly plan: string
  readonly diff: string
  /** How to see that it works. */
  readonly tests: string
  /** Paths it changes. */
  readonly paths: readonly string[]
}

/** For the person. An unknown or ambiguous id is `config-invalid`; the beginning of one is enough. */
export interface PatchService {
  /** Oldest first. */
  list(): Promise<readonly Proposal[]>
  find(id: string): Promise<Proposal>
  /** All of it or nothing; refuses where a file is not as it was when the patch was made. */
  apply(id: string, signal: AbortSignal): Promise<readonly FileChange[]>
  reject(id: string): Promise<Proposal>
}
