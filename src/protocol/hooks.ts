/**
 * What a person's own programs and reviews may say to what happens. The payloads are a promise to those programs: fields
 * are added, never changed. On the wire their names are snake_case, and `event` says which one it is.
 */
import type { FailureCode } from './error.ts'
import type { RunEndReason } from './run-end-reasons.ts'
import type { Category } from './tool.ts'

export const hookEvents = [
  'pre_tool_use',
  'post_tool_use',
  'session_start',
  'session_end',
  'pre_compact',
  'stop',
  'user_prompt',
] as const

export type HookEvent = (typeof hookEvents)[number]

type Common = { readonly sessionId: string; readonly cwd: string }
type InRun = Common & { readonly runId: string }
type OfTool = InRun & { readonly callId: string; readonly tool: string; readonly input: unknown }

export type HookPayloads = {
  /** Before a call is judged. May be denied; `input` may be transformed, and is then judged as transformed. */
  readonly pre_tool_use: OfTool & { readonly category: Category }
  /** After a call. `text` may be transformed; what has happened cannot be denied. */
  readonly post_tool_use: OfTool & {
    readonly ok: boolean
    readonly text: string
    readonly code?: FailureCode
    /** Paths it changed. */
    readonly changed: readonly string[]
  }
  readonly session_start: Common & { readonly resumed: boolean }
  readonly session_end: Common
  /** Before the conversation is made smaller. May be denied. */
  readonly pre_compact: InRun & { readonly messages: number; readonly forced: boolean }
  /** However a run ends. */
  readonly stop: InRun & {
    readonly reason: RunEndReason
    readonly turns: number
    readonly changed: readonly string[]
  }
  /** Before a prompt joins the conversation. May be denied; `prompt` may be transformed. */
  readonly user_prompt: InRun & { readonly prompt: string }
}

export type HookSpec = {
  readonly name: string
  readonly event: HookEvent
  /** Only calls of tools whose name fits this glob; absent = all. */
  readonly tool?: string
  readonly timeoutMs?: number
  /** A hook that fails or is late lets pass instead of denying. */
  readonly failOpen?: boolean
  /** Its key in the configuration, by which it is known who configured it. */
  readonly launchedAs?: string
} & HookAction

type HookAction =
  /** A shell command: the payload as JSON on stdin; exit 0 allows, 1 skips, 2 denies; JSON on stdout wins over that. */
  | {
      readonly type: 'command'
      readonly command: string
      /** It runs in the sandbox, where there is one. */
      readonly isConfined?: true
    }
  /** A question to the session's model, or to a subagent that may look around: the first ALLOW or DENY counts. */
  | { readonly type: 'prompt' | 'agent'; readonly prompt: string }

export type HookOutcome<Event extends HookEvent> =
  | {
      readonly verdict: 'allow'
      /** With all transforms; the same object when there were none. */
      readonly payload: HookPayloads[Event]
      /** For the person: hooks that failed or said what cannot be done. */
      readonly warnings: readonly string[]
    }
  | { readonly verdict: 'deny'; readonly why: string; readonly warnings: readonly string[] }

export interface Hooks {
  /** Rejects only when `signal` aborts. */
  run<Event extends HookEvent>(
    event: Event,
    payload: HookPayloads[Event],
    signal: AbortSignal,
  ): Promise<HookOutcome<Event>>
}
