/** A machine that runs tools for others, however it is reached. Its own guard decides; the caller only gets a text. */
import type { FailureCode } from './error.ts'
import type { ToolSchema } from './model.ts'
import type { Category, Tool } from './tool.ts'

export type HostedTool = ToolSchema & { readonly category: Category }

export type HostedCall = {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** By the name the host gives it; absent = its first. */
  readonly workspace?: string
  /** Whose call it is: placeholders of secrets and background jobs of one client mean nothing to another. */
  readonly client: string
  /** How long a page of a file may be for the window it goes to. */
  readonly pageTokens?: number
}

export type HostedResult = {
  readonly ok: boolean
  readonly text: string
  /** `unknown-outcome`: it was started, and its result is unknown. */
  readonly code?: FailureCode | 'unknown-outcome'
}

export interface ToolHost {
  tools(): readonly HostedTool[]
  /** Names of the folders it works in, the usual one first. */
  readonly workspaces: readonly string[]
  /** Throws `request-invalid` for a workspace it does not have; everything else is a result. */
  execute(call: HostedCall, signal: AbortSignal): Promise<HostedResult>
  close(): Promise<void>
}

/** Whether it matters on which machine a tool runs. The others are about a conversation, and stay where that is. */
export const reachesWorld = ({ name, category }: Pick<Tool, 'name' | 'category'>): boolean =>
  name === 'system_info' || (REACHING.has(category) && !OF_RESULTS.has(name))

const REACHING: ReadonlySet<Category> = new Set(['read', 'search', 'write', 'run', 'web'])

/** What a session stored lies with the session. */
const OF_RESULTS: ReadonlySet<string> = new Set(['read_result', 'list_results'])
