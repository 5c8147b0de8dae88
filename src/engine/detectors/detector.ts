/** The input of a detector of finished replies. Detectors are pure: they see nothing else. */
import type { ToolCall } from '../../protocol/message.ts'
import type { Finding } from '../trace.ts'
import type { Demands } from './demands.ts'
import type { Due } from './due.ts'

/** A finished reply and what stood around it. */
type ReplyView = { readonly text: string; readonly calls: readonly ToolCall[] }

export type Situation = {
  /** The person's own words, and what they ask for. */
  readonly prompt: string
  readonly demands: Demands
  /** What of it this run has not done yet. */
  readonly due: Due
  readonly usedTools: boolean
  /** Tools were used earlier in the conversation, if not in this run. */
  readonly talked: boolean
  readonly toolNames: readonly string[]
  /** False where the model may only plan or answer. */
  readonly mayAct: boolean
  /** The last results as the model saw them, newest last. */
  readonly results: readonly string[]
}

export type ReplyDetector = (reply: ReplyView, situation: Situation) => Finding | undefined
