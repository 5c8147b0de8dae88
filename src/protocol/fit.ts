/** How a conversation is made to fit the arm that was reserved: what the engine asks, and what it gets to send. */
import type { Lease } from './arm.ts'
import type { CompactionStage } from './event.ts'
import type { Message } from './message.ts'
import type { ToolSchema } from './model.ts'

export type FitInput = {
  readonly messages: readonly Message[]
  /** Sent behind the messages, but no part of the conversation yet: it cannot be compacted. */
  readonly begun?: readonly Message[]
  readonly tools: readonly ToolSchema[]
  readonly lease: Lease
  /** Compact even if we think it fits: the server says it does not. */
  readonly force: boolean
  /** Good results since the last compaction; compacting twice without any gains nothing. */
  readonly resultsSinceCompaction: number
}

export type Fitted = {
  readonly messages: readonly Message[]
  readonly maxTokens: number
  /** What the model will have to read. */
  readonly promptTokens: number
  readonly pageTokens: number
  /** What results may add before the conversation has to be compacted. */
  readonly roomTokens: number
  readonly compaction?: { readonly stage: CompactionStage; readonly before: number; readonly after: number }
  /** Why this window cannot hold the conversation, with the numbers. */
  readonly tooSmall?: string
}
