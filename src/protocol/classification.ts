/** What a request is about, found out once per run: the router picks an arm by it, the engine may list tools by it. */
import type { Category } from './tool.ts'

export const taskTypes = [
  'boilerplate',
  'generation',
  'refactor',
  'review',
  'unit_test',
  'planning',
  'orchestration',
  'security_review',
  'debug',
  'explain',
] as const
type TaskType = (typeof taskTypes)[number]

export type Classification = {
  readonly type: TaskType
  /** 0 = one step, 1 = a project. */
  readonly complexity: number
  readonly needsTools: boolean
  /** The kind of tool that comes first; `answer` where none is needed. */
  readonly category: Category | 'answer'
  /** The share of this type among all types, 0 to 1; absent where it was not measured. */
  readonly sure?: number
  /** Who said so: words in the request, a small model, or words because the small model did not answer. */
  readonly source: 'keywords' | 'slm' | 'slm_fallback'
}
