/**
 * What there is to see of a session. `reduce.ts` makes it from events; the terminal, the plain mode and the page draw it and
 * compute nothing of their own. Everything is plain data, and nothing in it depends on how a reply was cut into pieces.
 */
import type { RunEndReason } from '../protocol/run-end-reasons.ts'
import type { FailureCode } from '../protocol/error.ts'
import type { FileDiff } from '../protocol/file-diff.ts'
import type { SecretInside } from '../protocol/firewall.ts'
import type { Always, PermissionAnswer } from '../protocol/guard.ts'
import type { Progress, Usage } from '../protocol/model.ts'
import type { Access } from '../protocol/tool.ts'
import type { VoteReport } from '../protocol/vote.ts'

/** A call, from its start. `tail` is the end of what it prints while it runs. */
export type ToolItem = {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  readonly title: string
  /** The arguments as the model wrote them. */
  readonly input: string
  readonly state: 'running' | 'ok' | 'failed'
  readonly tail: string
  readonly diff: readonly FileDiff[]
  /** What the person answered when it was asked for. */
  readonly answer?: PermissionAnswer
  /** Of a call that has ended. */
  readonly text?: string
  readonly code?: FailureCode
  readonly ms?: number
}

export type VoteItem = {
  readonly kind: 'vote'
  readonly why: string
  readonly workers: readonly VoteRow[]
  readonly report?: VoteReport
}

export type VoteRow = {
  readonly worker: string
  /** What it proposes; absent while it is at work. */
  readonly shows?: string
  /** Why its answer does not count. */
  readonly discarded?: string
}

export type SubagentItem = {
  readonly kind: 'subagent'
  readonly name: string
  readonly task: string
  readonly state: 'running' | 'ok' | 'failed'
  /** What it does now, or what it said in the end. */
  readonly text: string
  readonly turns?: number
  readonly tokens?: number
  readonly ms?: number
}

export type NoteItem = {
  readonly kind: 'note'
  readonly level: 'detail' | 'info' | 'warning' | 'error'
  readonly text: string
}

export type EndItem = {
  readonly kind: 'end'
  readonly reason: RunEndReason
  readonly report?: string
  readonly changed: readonly string[]
  readonly runnable: readonly string[]
}

export type Item =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'reply'; readonly text: string; readonly reasoning: string }
  | { readonly kind: 'proposal'; readonly command: string }
  | ToolItem
  | VoteItem
  | SubagentItem
  | NoteItem
  | EndItem

/** A question that waits for the person. */
export type ViewQuestion =
  | {
      readonly kind: 'permission'
      readonly askId: string
      readonly callId: string
      readonly name: string
      readonly access: readonly Access[]
      readonly why: string
      readonly always?: Always
      readonly secrets: readonly SecretInside[]
      readonly diff: readonly FileDiff[]
    }
  | {
      readonly kind: 'question'
      readonly askId: string
      readonly question: string
      readonly options: readonly string[]
    }

/** The turn in progress: what it says and does goes to the items when it ends. */
export type OpenTurn = {
  readonly text: string
  readonly reasoning: string
  readonly tools: readonly ToolItem[]
  readonly vote?: VoteItem
  readonly subagents: readonly SubagentItem[]
  readonly progress?: Progress
  /** Why the server is waited for. */
  readonly retry?: { readonly why: string; readonly delayMs: number }
  /** Why the reply was asked for again. */
  readonly again?: string
}

export type Status = {
  readonly arm?: string
  readonly why?: string
  readonly window?: number
  readonly usage?: Usage
  /** Tokens of all requests so far. */
  readonly spent?: { readonly prompt: number; readonly completion: number; readonly requests: number }
}

export type View = {
  /** What is over, in order. Only added to: what was drawn once stays as it was. */
  readonly items: readonly Item[]
  /** Items that were left out by `withoutItems`. */
  readonly dropped: number
  readonly run?: { readonly runId: string; readonly turn: number }
  readonly open: OpenTurn
  /** The first of them is the one to answer. */
  readonly questions: readonly ViewQuestion[]
  readonly queue: readonly { readonly runId: string; readonly prompt: string }[]
  readonly status: Status
  readonly lastEventId: number
}

export const closedTurn: OpenTurn = { text: '', reasoning: '', tools: [], subagents: [] }

export const emptyView: View = {
  items: [],
  dropped: 0,
  open: closedTurn,
  questions: [],
  queue: [],
  status: {},
  lastEventId: 0,
}

/** The same without what was drawn for good, for a face that cannot change it any more. */
export const withoutItems = (view: View): View =>
  view.items.length === 0 ? view : { ...view, items: [], dropped: view.dropped + view.items.length }
