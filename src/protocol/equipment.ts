/** What a part of the program brings to a session: tools the model may call, and words for its context. */
import type { Firewall } from './firewall.ts'
import type { Source } from './source.ts'
import type { Exec, Files, RunLimits, Tool } from './tool.ts'

/** What a session's equipment may reach: the same as its tools. */
export type Equipping = {
  readonly sessionId: string
  readonly files: Files
  readonly exec: Exec
  readonly firewall: Firewall
  warn(message: string): void
}

/** What a prompt stands for, and what its run is held to. */
export type Expansion = {
  readonly prompt: string
  readonly limits: RunLimits
  /** When the text lives elsewhere: replaces `prompt`, loaded when needed. */
  load?(signal: AbortSignal): Promise<string>
}

export interface Equipment {
  /** May grow while the session goes on: a function that was promoted, a server that came up. Names are unique. */
  tools(): readonly Tool[]
  readonly sources: readonly Source[]
  /** `/name args`; nothing where the prompt means what it says. */
  expand?(prompt: string): Expansion | undefined
  /** A built-in tool, watched. */
  around?(tool: Tool): Tool
  close(): Promise<void>
}
