/** Anything that watches or steers a conversation is a client of this, in process or over HTTP. */
import type { SessionEvent } from './event.ts'
import type { PermissionAnswer } from './guard.ts'
import type { Message, UserMessage } from './message.ts'
import type { ToolChoice } from './model.ts'
import type { RunLimits } from './tool.ts'

export type PromptOptions = RunLimits & {
  readonly toolChoice?: ToolChoice
  readonly maxTurns?: number
  /** A shell command that must pass before an answer counts; run as a call of `run_command` would be. */
  readonly check?: string
  /** The wish alone, where the prompt says more around it: for a model that reads nothing else. */
  readonly task?: string
  /** Made by the client. A prompt that arrives again with its key is not run again: the run it became is named. */
  readonly key?: string
  /** Texts that go in front of this prompt, as the output of commands does. */
  readonly attached?: readonly string[]
}

/** `isRepeated`: its key was known, and this is the run the first arrival became. */
export type AcceptedPrompt = { readonly runId: string; readonly isRepeated?: true }

export type SessionInfo = {
  readonly id: string
  readonly title: string
  readonly cwd: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messages: number
  /** Begun by the queue of a plan, not by a person. */
  readonly isPacket?: true
}

/** An answer to `permission-ask` or `question-ask`. */
export type Answer = PermissionAnswer | { readonly text: string }

export type CommandName = 'compact' | 'exec-output' | 'reset-exec-output'

export interface SessionApi {
  readonly id: string
  history(): Promise<readonly Message[]>
  /**
   * Resolves once the prompt is on disk; the run is reported through `events`. Prompts wait for the run before them.
   */
  prompt(input: string | readonly UserMessage[], options?: PromptOptions): Promise<AcceptedPrompt>
  /** Ends the run in progress and drops the waiting prompts. */
  cancel(): Promise<void>
  answer(askId: string, answer: Answer): Promise<void>
  /** Everything after event `after` that was kept, then what happens, until `signal` aborts. */
  events(options: { readonly after?: number; readonly signal: AbortSignal }): AsyncIterable<SessionEvent>
  command(name: CommandName, argument?: string): Promise<void>
  list(): Promise<readonly SessionInfo[]>
}
