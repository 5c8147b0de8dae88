/** An arm is one model the router may pick, with what is known about it. A lease is the right to ask it once. */
import type { Classification } from './classification.ts'
import type { EditForm } from './edit-form.ts'
import type { Model, Thinking, Usage } from './model.ts'

/** The shape of conversation an arm accepts; see `context/emit.ts`. */
export type EmissionMode = {
  readonly base: 'tool-role' | 'user-results' | 'collapsed'
  /** Roles must alternate user/assistant after the system message. */
  readonly strict?: boolean
  /** No system role: its text is folded into the first user message. */
  readonly noSystem?: boolean
  /** The dialect that wraps calls and results where they are written as text. */
  readonly dialect?: string
}

export type Capabilities = {
  /** Tokens of prompt and answer together. */
  readonly window: number
  readonly windowFrom: 'configured' | 'reported' | 'learned' | 'assumed'
  /** How calls travel: the server's own field, a prompt we render, or text in a chat message. */
  readonly tools: 'native' | 'raw' | 'text'
  readonly emission: EmissionMode
  readonly dialect?: string
  /** Whether earlier reasoning is shown to the model again. */
  readonly reasoning: 'keep' | 'drop'
  readonly editForm: EditForm
  /** The server honours `tool_choice: required`. */
  readonly requiredChoice: boolean
  /** A trailing assistant message is continued rather than answered. */
  readonly prefill: boolean
  readonly vision: boolean
  /** We own its sampling: replies are held to a grammar. */
  readonly grammar?: true
  /** It reads the request and this run's results only, so nothing is gathered for it beforehand. */
  readonly readsRequestOnly?: true
  /** Measured tokens per second, once known. */
  readonly speeds?: { readonly prefill?: number; readonly decode?: number }
}

/** An arm as configured: where it is, and what of its capabilities is known beforehand. Never print it. */
export type ArmSettings = {
  /** Empty for a server that was named by its address only: then it is called like its model. */
  readonly id: string
  readonly kind: 'openai-compatible' | 'openai' | 'anthropic' | 'google'
  /** What the server calls the model. */
  readonly model: string
  /** No model was named: `model` is a guess until the server was asked which ones it has. */
  readonly isModelOpen?: true
  readonly baseUrl?: string
  readonly apiKey?: string
  /** What to do when the server asks for a key or refuses it, as a sentence that names the variable. */
  readonly keyHint?: string
  readonly headers: Readonly<Record<string, string>>
  readonly local: boolean
  readonly thinking?: Thinking
  readonly temperature?: number
  readonly known: Partial<Omit<Capabilities, 'windowFrom' | 'speeds'>>
}

export type ArmProfile = {
  readonly id: string
  /** Runs on this machine or its network: patient time limits, no cost, allowed in incognito. */
  readonly local: boolean
  readonly capabilities: Capabilities
  /** The configured sampling temperature, if any. */
  readonly temperature?: number
  readonly thinking?: Thinking
}

export type ReserveRequest = {
  /** The person's own words. */
  readonly task: string
  /** Arms that already failed for this very request. */
  readonly excluded: readonly string[]
  /** Requests of one run stay with one arm. Absent = a background request, for the arm that answered last. */
  readonly runId?: string
  /** The session whose prefix an arm may still hold, and whose type and arm a short "go on" inherits. */
  readonly sessionId?: string
  /** What the request is about, if already classified. */
  readonly classification?: Classification
  /** What the context takes, in tokens. */
  readonly tokens?: number
  /** There are images in it. */
  readonly vision?: boolean
  /** Nothing this run may call changes anything. */
  readonly readOnly?: boolean
  /**
   * The answer is this machine's own voice in a vote, so it is not moved to another machine: other machines are asked
   * for themselves, and this one would lose its vote.
   */
  readonly stays?: boolean
  /** The run stands on the rung "next arm" of its ladder, for this reason; once absent, it goes back down. */
  readonly escalated?: string
}

/** `id` is the fingerprint of its key; names may be shared. */
export type LeasedMachine = { readonly id: string; readonly name: string }

export type Lease = {
  readonly arm: ArmProfile
  readonly model: Model
  /** The other machine that answers; absent = this one, or a service in its configuration. */
  readonly machine?: LeasedMachine
  /** Why this arm, in words. */
  readonly why: string
  countTokens(text: string): number
  /** Whether `countTokens` counts as the arm's own tokenizer does; absent = it estimates. */
  isExact?(): boolean
  /** Exactly one of commit and release is called, once. */
  commit(usage: Usage | undefined): void
  /** `error` is what the arm failed with: it may learn its real window from it. */
  release(error?: unknown): void
  /** From now on this arm is shown its tools as text; false when it already is, or cannot be. */
  toText(): boolean
}

export type Reserve = (request: ReserveRequest, signal: AbortSignal) => Promise<Lease>
