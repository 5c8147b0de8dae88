/** Skills, promoted functions and plugins as a person looks at them. */
export type SkillEntry = {
  readonly name: string
  readonly kind: 'skill' | 'function' | 'plugin'
  /** Where it comes from, or what it is written in. */
  readonly from: string
  readonly description: string
  readonly isTrusted: boolean
}

export interface SkillsService {
  list(): Promise<{ readonly entries: readonly SkillEntry[]; readonly warnings: readonly string[] }>
  /** The text of it: SKILL.md, or the code of a function. */
  show(name: string): Promise<string>
  /** Agrees to it as it is now. */
  trust(name: string): Promise<void>
  remove(name: string): Promise<void>
  test(name: string, signal: AbortSignal): Promise<{ readonly ok: boolean; readonly text: string }>
  addPlugin(folder: string): Promise<string>
  removePlugin(name: string): Promise<void>
}
