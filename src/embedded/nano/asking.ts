/** What nano is asked with, and what came of it. */
import type { Decision } from './decide.ts'
import type { NanoReply } from './engine.ts'
import type { Opinions } from '../opinion/load.ts'
import type { ProjectFiles } from './project.ts'
import type { Question } from './question.ts'

export type Asked = {
  readonly decision: Decision
  readonly reply: NanoReply
  /** How likely the action is after both opinions. */
  readonly agreement?: number
}

export type Asking = Question & {
  readonly files: ProjectFiles
  /** A second opinion on what a clause asks for. */
  readonly opinions?: Opinions
}
