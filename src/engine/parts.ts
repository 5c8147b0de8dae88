/**
 * What the loop is handed. The engine knows no disk, network, screen or configuration: the caller of a run joins these
 * parts and reads the events.
 */
import type { Lease, Reserve } from '../protocol/arm.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { FitInput, Fitted } from '../protocol/fit.ts'
import type { Firewall } from '../protocol/firewall.ts'
import type { AuditEntry, Authorize, Permissions, PermissionAnswer } from '../protocol/guard.ts'
import type { Message } from '../protocol/message.ts'
import type { ToolChoice, ToolSchema } from '../protocol/model.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import type { Category, Tool, ToolContext, ToolResult } from '../protocol/tool.ts'
import type { StopRule } from './trace.ts'

/** Events for watchers, and two records for the log of the conversation. */
export type LoopEvent =
  | RunEvent
  /** Joins the conversation. */
  | { readonly type: 'message'; readonly message: Message }
  /** The conversation was compacted: this is all of it now. */
  | { readonly type: 'history'; readonly messages: readonly Message[] }

/** The tools one request shows. */
export type Offer = { readonly tools: readonly ToolSchema[]; readonly choice?: ToolChoice }

type PermissionQuestion = Omit<Extract<RunEvent, { type: 'permission-ask' }>, 'type' | 'askId'>

export type AskPermission = (request: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>

type CallFacts = { readonly callId: string; readonly tool: string; readonly input: unknown }

/** The person's hooks of one run, as far as calls are concerned. */
export type CallHooks = {
  before(
    call: CallFacts & { readonly category: Category },
    signal: AbortSignal,
  ): Promise<{ readonly denied: string } | { readonly input: unknown }>
  /** The text of the result, perhaps transformed. */
  after(call: CallFacts, result: ToolResult, signal: AbortSignal): Promise<string>
}

export type ToolAccess = {
  list(): readonly Tool[]
  readonly authorize: Authorize
  /** Called for every approval. */
  readonly accept?: Permissions['accept']
  readonly askPermission: AskPermission
  readonly hooks?: CallHooks
  readonly firewall?: Pick<Firewall, 'outgoing' | 'stream' | 'restore' | 'approve'>
  audit?(entry: Omit<AuditEntry, 'sessionId'>): void
  /** Everything a tool reaches except what belongs to one call. */
  readonly context: Omit<
    ToolContext,
    'signal' | 'output' | 'tell' | 'limits' | 'pageTokens' | 'editForm' | 'countTokens' | 'isOffered'
  >
}

export type LoopParts = {
  readonly runId: string
  readonly sessionId: string
  /** The person's own words. */
  readonly prompt: string
  readonly system: string
  readonly options: PromptOptions
  readonly stopRules: readonly StopRule[]
  /** After so many turns the run ends; the model gets a note shortly before. */
  readonly turnLimit?: number
  readonly temperature?: number
  readonly reserve: Reserve
  /** Whether another arm could go on where this one got stuck. */
  hasOther?(arm: string): boolean
  fit(input: FitInput): Promise<Fitted>
  /** Which tools to show to this arm, given what this run added so far. */
  offer(lease: Lease, added: readonly Message[]): Offer
  readonly toolAccess: ToolAccess
  /** A new seed for another try. */
  seed(): number
  now(): number
}
