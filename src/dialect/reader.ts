/**
 * Reads a reply while it arrives: text, thinking and calls, in whatever format. One generator walks through the reply;
 * markers of all families are looked for at once, and what stands behind one is read by its section. Text that can be
 * no part of a call is released at once.
 */
import type { ReplyEvent, ReplyReader } from '../protocol/dialect.ts'
import type { ToolSchema } from '../protocol/model.ts'
import { families, familyOf } from './all.ts'
import type { Family } from './family.ts'
import { readFence } from './fence.ts'
import type { Step } from './input.ts'
import { Input } from './input.ts'
import { readActions, readBare, readPlain, readRecipient } from './loose-calls.ts'
import type { MarkerTable, Owned } from './marker-table.ts'
import { toMarkerTable } from './marker-table.ts'
import { proposalIn } from './proposal.ts'
import { mayBeCall } from './bare.ts'
import { Reading } from './reading.ts'
import { readSection } from './section.ts'

export type ReplyReaderOptions = {
  readonly tools: readonly ToolSchema[]
  /** A hint: file or repository name, such as "Qwen3-Coder". */
  readonly model?: string
  readonly dialect?: string
  /** The prompt already opened the thinking tag. */
  readonly thinking?: boolean
  /** Whether a call's text occurs word for word in an earlier user message or result. */
  readonly earlier?: (text: string) => boolean
  /** Native calls work on this arm. */
  readonly native?: boolean
}
