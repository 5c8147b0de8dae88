/**
 * How one family of models writes tool calls: how tools are shown, how calls and results are written, how replies are
 * read.
 */
import type { ToolCall } from './message.ts'
import type { ToolSchema } from './model.ts'

export type ReplyEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | { readonly type: 'proposal'; readonly command: string }
  | { readonly type: 'bad-call'; readonly name?: string; readonly reason: string }

/** A streaming reader. Any cut of the same text into chunks gives the same events; nothing makes it throw. */
export interface ReplyReader {
  push(chunk: string): ReplyEvent[]
  end(): ReplyEvent[]
}

/** The writing half: what `context/emit.ts` needs where calls and results travel as text. */
export interface DialectWriter {
  readonly name: string
  write(call: ToolCall): string
  result(result: {
    readonly name: string
    readonly callId: string
    readonly text: string
    readonly ok: boolean
  }): string
}

export interface Dialect extends DialectWriter {
  /** The tools as text, for models that get them in the prompt. */
  show(tools: readonly ToolSchema[]): string
  /** A GBNF grammar that makes a call valid by construction. */
  grammar?(tools: readonly ToolSchema[]): string
}
