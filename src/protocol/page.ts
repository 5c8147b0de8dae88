/** What the pages beside the chat show: plain data that the server hands out and the page draws. */
import type { RunEvent } from './event.ts'
import type { SandboxView, StoredRule } from './guard.ts'
import type { DecisionRecord, TaskStats } from './routing.ts'
import type { SkillEntry } from './skills-service.ts'

/** Where something happened: in a session, or in a request of another program. */
export type ActivitySource =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'request'; readonly id: string; readonly client: string }

/** `request-end`: nothing more comes of that request. */
export type ActivityEvent = RunEvent | { readonly type: 'request-end' }

/** Something that happened on this server. */
export type Activity = {
  readonly id: number
  readonly at: number
  readonly source: ActivitySource
  readonly event: ActivityEvent
}

/** Another machine, as this one knows it. */
export type PeerView = {
  readonly id: string
  readonly name: string
  readonly via: 'lan' | 'nats'
  readonly state: 'here' | 'gone'
  /** Why it is gone. */
  readonly why?: string
  readonly roundTripMs?: number
  readonly waiting?: number
  readonly running?: number
  readonly freeMemory?: number
  /** Seconds since it was heard of, where that is known. */
  readonly lastSeenS?: number
  readonly models: readonly {
    readonly id: string
    readonly window: number
    readonly tokensPerSecond?: number
  }[]
}

/** Jobs that wait at a broker, by the machine or the line they are for. */
export type JobQueue = {
  readonly server: string
  readonly lines: readonly { readonly name: string; readonly jobs: number; readonly isShared: boolean }[]
  readonly results: number
}

export type LastCall = {
  readonly tool: string
  readonly at: number
  readonly ms: number
  readonly ok: boolean
  /** Who asked, where that is another program or machine. */
  readonly client?: string
}

/** A machine that runs tools: this one for its own sessions, another one for them, or this one for others. */
export type ToolHostView = {
  readonly kind: 'own' | 'remote' | 'for-others'
  readonly name: string
  /** The folder it works in; absent = not known. */
  readonly folder?: string
  /** What is allowed without a question, and what confines commands. */
  readonly rules?: string
  readonly address?: string
  readonly state: 'here' | 'gone'
  /** Why it is gone. */
  readonly why?: string
  readonly tools: readonly string[]
  readonly lastCall?: LastCall
}

export type FlockView = {
  readonly isEnabled: boolean
  readonly self: {
    readonly name: string
    readonly id?: string
    readonly running: number
    readonly waiting: number
    readonly freeMemory: number
    readonly models: readonly string[]
    readonly listening?: string
  }
  readonly problem?: string
  readonly peers: readonly PeerView[]
  /** Announced here, not paired. */
  readonly strangers: readonly { readonly id: string; readonly address: string }[]
  readonly paired: readonly {
    readonly id: string
    readonly name: string
    readonly scopes: readonly string[]
  }[]
  readonly queue?: JobQueue
  readonly toolHosts: readonly ToolHostView[]
  readonly swarm: { readonly mode: string; readonly workers: number }
}

export type Invitation = {
  readonly code: string
  /** Rows of a QR code, `1` for dark; absent where the code is too long. */
  readonly qr?: readonly string[]
  readonly addresses: readonly string[]
  readonly isServing: boolean
}

export type ArmLine = {
  readonly id: string
  readonly isLocal: boolean
  readonly window: number
  readonly windowFrom: string
  readonly tools: string
  readonly editForm: string
  readonly vision: boolean
  readonly dialect?: string
  readonly requests: number
  readonly firstTokenMs?: number
  readonly tokensPerSecond?: number
  /** Of the prompts since the server started. */
  readonly cache?: { readonly prompt: number; readonly cached: number }
}

export type ArmsView = {
  readonly name: string
  readonly arms: readonly ArmLine[]
  readonly tasks: readonly TaskStats[]
  readonly sources: Readonly<Record<string, number>>
  readonly hints: readonly string[]
  readonly pools: readonly {
    readonly name: string
    readonly used: number
    readonly limits: Readonly<Record<string, number>>
  }[]
  /** The newest first, without what they were made from. */
  readonly decisions: readonly Omit<DecisionRecord, 'input'>[]
  /** Estimated success that was given up, added up over the choices. */
  readonly regret: readonly { readonly at: number; readonly sum: number }[]
  /** Tokens of prompts, and those that came from a cache, added up since the server started. */
  readonly prefill: readonly { readonly at: number; readonly prompt: number; readonly cached: number }[]
}

export type PullState = {
  readonly model: string
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  readonly stage?: 'fetching' | 'verifying'
  readonly bytes: number
  readonly total?: number
  readonly note?: string
}

export type ModelsView = {
  readonly hardware: string
  readonly models: readonly {
    readonly id: string
    readonly bytes: number
    readonly source: string
    readonly path: string
  }[]
  readonly unfinished: readonly string[]
  readonly fits: readonly {
    readonly id: string
    readonly title: string
    readonly window: number
    readonly workers: number
    readonly bytes: number
    readonly tokensPerSecond?: number
    readonly place: string
    readonly isSlow: boolean
    readonly isHere: boolean
  }[]
  readonly tooLarge: readonly { readonly name: string; readonly missingBytes: number; readonly why: string }[]
  readonly best?: string
  readonly pulls: readonly PullState[]
}

export type FactLine = {
  readonly id: number
  readonly kind: string
  readonly text: string
  readonly isGlobal: boolean
  readonly source: string
  readonly addedAt: number
  readonly uses: number
  readonly isReplaced: boolean
}

export type SkillsView = { readonly entries: readonly SkillEntry[]; readonly warnings: readonly string[] }

export type PlanTask = {
  readonly id: number
  readonly text: string
  readonly state: 'pending' | 'in_progress' | 'complete' | 'blocked'
  readonly check?: string
  readonly outcome?: string
  readonly next?: string
  readonly packets: number
  readonly openSession?: string
}

export type PlanView = {
  readonly goal?: string
  readonly phase: string
  readonly tasks: readonly PlanTask[]
  readonly notes: readonly { readonly at: number; readonly text: string }[]
}

export type AuditLine = {
  readonly at: string
  readonly what: string
  readonly tool: string
  readonly targets: readonly string[]
  readonly why: string
  readonly by: string
}

export type SafetyView = {
  readonly mode: string
  readonly rules: readonly StoredRule[]
  readonly trusted: readonly {
    readonly path: string
    readonly addedAt: string
    readonly isCurrent: boolean
  }[]
  readonly sandbox: SandboxView
  /** The newest first. */
  readonly audit: readonly AuditLine[]
}

/** What the pages read and change; each part stands on its own. */
export interface PageService {
  flock(): Promise<FlockView>
  invite(): Promise<Invitation>
  join(code: string, signal: AbortSignal): Promise<{ readonly name: string; readonly id: string }>
  removePeer(id: string): Promise<void>
  arms(): Promise<ArmsView>
  resetRouter(): Promise<void>
  models(): Promise<ModelsView>
  /** Starts it and returns; `models()` tells how far it is. */
  pull(model: string): Promise<void>
  cancelPull(model: string): void
  removeModel(model: string): Promise<void>
  facts(query: string, signal: AbortSignal): Promise<readonly FactLine[]>
  addFact(text: string, isGlobal: boolean): Promise<FactLine>
  /** The same words as `addFact`, in the place of another one. */
  changeFact(id: number, text: string): Promise<FactLine>
  forget(id: number): Promise<boolean>
  skills(): Promise<SkillsView>
  skill(name: string): Promise<string>
  trustSkill(name: string): Promise<void>
  removeSkill(name: string): Promise<void>
  plan(): Promise<PlanView>
  changePlan(action: string, text: string): Promise<PlanView>
  safety(): Promise<SafetyView>
  /** False where the list has changed meanwhile. */
  removeRule(
    index: number,
    rule: { readonly tool: string; readonly pattern?: string | undefined },
  ): Promise<boolean>
  distrust(path: string): Promise<boolean>
  close(): Promise<void>
}
