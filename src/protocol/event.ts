/**
 * What a run tells the outside. The same events reach `--json`, the terminal, HTTP and the log.
 * Names are noun-verb; a new event is a new member here, never a new channel.
 */
import type { Classification } from './classification.ts'
import type { ErrorCode, FailureCode } from './error.ts'
import type { Message, ToolCall } from './message.ts'
import type { FileDiff } from './file-diff.ts'
import type { Progress, Usage } from './model.ts'
import type { SecretInside } from './firewall.ts'
import type { RunEndReason } from './run-end-reasons.ts'
import type { Always, PermissionAnswer, Remedy } from './guard.ts'
import type { SubagentEvent } from './subagent.ts'
import type { Access } from './tool.ts'
import type { VoteEvent } from './vote.ts'

/** Who brought the run to its end: how often each helped. */
export type Attribution = {
  readonly model: number
  readonly repair: number
  readonly detector: number
  /** Another arm had to take over. */
  readonly escalation?: number
}

/** What became of the command an answer was held to; `text` is the end of what it printed, or why it was not run. */
export type CheckEnd = {
  readonly command: string
  readonly state: 'passed' | 'failed' | 'refused'
  readonly text: string
}

export type RunEnd = {
  readonly type: 'run-end'
  readonly runId: string
  readonly reason: RunEndReason
  readonly turns: number
  /** What is true on disk: files this run created, changed or removed. */
  readonly changed: readonly string[]
  /** Those of them that run when started by a user: package scripts, build files, CI. Absent where there are none. */
  readonly runnable?: readonly string[]
  readonly attribution: Attribution
  /** The detector that doubted the answer, when it was taken all the same. */
  readonly flag?: string
  /** Absent where the prompt named no check, or the answer was none that it is run for. */
  readonly check?: CheckEnd
  /** What the run asked for and was not allowed, where that kept it from an answer. */
  readonly denied?: readonly string[]
  /** For a person, when the run did not end by an answer. */
  readonly report?: string
}

export type CompactionStage = 'shrink' | 'digest' | 'truncate'

export type RunEvent =
  /** A prompt was accepted while another run goes on; `run-start` or `run-end` with its id takes it out of the queue. */
  | {
      readonly type: 'prompt-queue'
      readonly runId: string
      readonly prompt: string
      readonly key?: string
    }
  /** `key` as in `PromptOptions`: its client knows by it that the prompt arrived. */
  | { readonly type: 'run-start'; readonly runId: string; readonly prompt: string; readonly key?: string }
  | { readonly type: 'turn-start'; readonly turn: number }
  | { readonly type: 'routing'; readonly arm: string; readonly why: string; readonly window: number }
  /** What the request is about, guessed before anything is asked. */
  | { readonly type: 'classification'; readonly classification: Classification }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'reply-restart'; readonly why: string }
  | { readonly type: 'tool-start'; readonly call: ToolCall; readonly title: string }
  /** What the call would do to files, told before it is asked for and before it runs. */
  | { readonly type: 'tool-diff'; readonly callId: string; readonly files: readonly FileDiff[] }
  | { readonly type: 'tool-output'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool-end'
      readonly callId: string
      readonly name: string
      readonly ok: boolean
      readonly text: string
      readonly code?: FailureCode
      readonly ms: number
    }
  | {
      readonly type: 'permission-ask'
      readonly askId: string
      readonly call: ToolCall
      readonly access: readonly Access[]
      readonly why: string
      /** What "always" would mean; absent = it is not offered. */
      readonly always?: Always
      /** What would allow it without a question. */
      readonly remedy?: Remedy
      /** Secrets that a yes gives to this call. */
      readonly secrets?: readonly SecretInside[]
    }
  | { readonly type: 'permission-answer'; readonly askId: string; readonly answer: PermissionAnswer }
  | {
      readonly type: 'question-ask'
      readonly askId: string
      readonly question: string
      readonly options?: readonly string[]
    }
  | { readonly type: 'question-answer'; readonly askId: string; readonly text: string }
  | { readonly type: 'proposal'; readonly command: string }
  | { readonly type: 'correction'; readonly detector: string; readonly remedy: string; readonly text: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly why: string }
  | {
      readonly type: 'compaction'
      readonly stage: CompactionStage
      readonly before: number
      readonly after: number
      readonly window: number
    }
  | Progress
  | VoteEvent
  | SubagentEvent
  | { readonly type: 'usage'; readonly usage: Usage; readonly window: number }
  /** `continues`: the output limit cut the answer, and the next turn goes on in the middle of its line. */
  | {
      readonly type: 'turn-end'
      readonly turn: number
      readonly messages: readonly Message[]
      readonly continues?: true
    }
  | RunEnd
  | { readonly type: 'error'; readonly code: ErrorCode; readonly message: string }
  | { readonly type: 'warning'; readonly message: string }

/** An event as a watcher gets it: numbered in order over the whole session. */
export type SessionEvent = RunEvent & { readonly id: number }
