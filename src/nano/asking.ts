/** What nano is asked with, and what came of it. */
import type { Decision } from './decide.ts'
import type { NanoReply } from './weights/engine.ts'
import type { NanoCall } from './steps/run.ts'
import type { Opinions } from './opinion/load.ts'
import type { ProjectFiles } from './project/sources.ts'
import type { Question } from './weights/question.ts'

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

/** Where nano was not asked. */
export const NO_REPLY: NanoReply = {
  text: '',
  confidences: [],
  isCut: false,
  usage: { prompt: 0, completion: 0 },
  times: { firstTokenMs: 0, decodeMs: 0 },
}

export const guessOf = (call: NanoCall, why: string, isLikely = false): Asked => ({
  reply: NO_REPLY,
  decision: { kind: 'guess', call, why: `The built-in model guessed this: ${why}`, isLikely },
})
