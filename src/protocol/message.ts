/**
 * A conversation is a list of messages. The system text is not one of them: it is put first on every emission.
 * What was said is never edited; `context/` decides what of it a model gets to see.
 */
import type { FailureCode } from './error.ts'

/** One use of a tool as the model wrote it. `input` is JSON text, kept byte for byte. */
export type ToolCall = {
  readonly id: string
  readonly name: string
  readonly input: string
  /** Why the model itself is not certain that this is wanted. The user is asked first, in every permission mode. */
  readonly unsure?: string
}

export type Image = { readonly mediaType: string; readonly base64: string; readonly path?: string }

export type UserMessage = {
  readonly role: 'user'
  readonly text: string
  readonly images?: readonly Image[]
  /** Absent when a person typed it; otherwise who put it there. */
  readonly origin?: 'note' | 'digest'
}

export type AssistantMessage = {
  readonly role: 'assistant'
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly reasoning?: string
  /** The tokens the arm generated, where we know them: rendering them again must not re-tokenise. */
  readonly tokens?: readonly number[]
  /** The detector that fired on this reply, when it was accepted all the same. */
  readonly flag?: string
}

export type ToolMessage = {
  readonly role: 'tool'
  readonly callId: string
  readonly text: string
  readonly ok: boolean
  readonly code?: FailureCode
}

export type Message = UserMessage | AssistantMessage | ToolMessage
