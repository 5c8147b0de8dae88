/** Who could answer on this machine, and who says what a request is about. For a person who looks. */
import type { Classification } from './classification.ts'
import type { Tier } from './routing.ts'

export type ProviderInfo = {
  /** An arm's id, or the name of a server or program that was found. */
  readonly id: string
  /** The wire format, or what else it is. */
  readonly kind: string
  readonly tier: Tier
  /** `failed`: it may be used, and does not answer. */
  readonly state: 'ready' | 'off' | 'failed'
  /** It is ready: a server answered just now. */
  readonly isOn: boolean
  /** Where it is, or why it cannot be used. */
  readonly about: string
  /** What a server offers, where it was asked. */
  readonly models?: readonly OfferedModel[]
}

export type OfferedModel = {
  readonly name: string
  /** The flags that choose it; empty where it is used without any. */
  readonly use: string
  /** It makes vectors for memory and code search, and does not chat. */
  readonly embeds?: true
}

export type SlmSample = {
  readonly prompt: string
  readonly said: Classification['type']
  readonly expected: Classification['type']
  /** The share of its answer among all types, where the model tells. */
  readonly sure?: number
}

/** How the small model that classifies requests does. */
export type SlmReport = {
  /** `covey/nano`, an arm, or `keywords`. */
  readonly classifier: string
  readonly state: 'ok' | 'off' | 'failed'
  /** Whether it can call tools itself. */
  readonly usesTools: boolean
  /** Of the sample requests. */
  readonly right: number
  readonly asked: number
  /** For one request, in the middle. */
  readonly ms?: number
  readonly why?: string
  readonly samples: readonly SlmSample[]
}

export interface ProviderService {
  list(): Promise<readonly ProviderInfo[]>
  /** Only those that are model servers. */
  servers(): Promise<readonly ProviderInfo[]>
  /** Lets a server of another user that was found on a port be used; tells whose processes listen there. */
  allow(port: number): Promise<readonly string[]>
  /** The classifier that is configured, or another one. */
  trySlm(classifier: string | undefined, signal: AbortSignal): Promise<SlmReport>
  /** Candidates: the built-in model and the arms on this machine. */
  slms(): readonly string[]
}
