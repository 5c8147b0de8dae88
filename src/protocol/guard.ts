/** The guard's seam: the engine asks before every call; what stands behind it is handed in by `app/open.ts`. */
import type { ToolCall } from './message.ts'
import type { Access, Category } from './tool.ts'

export type AuthorizeRequest = {
  readonly call: ToolCall
  /** The tool that will run, where the call names it otherwise. */
  readonly tool?: string
  readonly category: Category
  readonly access: readonly Access[]
  /** It was taken for a command that only reads, and tried to write: it is judged as one that writes. */
  readonly mayWrite?: true
}

/** What would allow a call, for the person: the weakest mode, a rule, or why there is neither. */
export type Remedy = { readonly mode?: string; readonly rule?: Rule; readonly otherwise?: string }

export type Authorization = {
  readonly verdict: 'allow' | 'ask' | 'deny'
  /** Shown to the person when asked, to the model when denied. */
  readonly why: string
  /** With `ask`: what "always" would mean. Absent = the answer holds for this call only. */
  readonly always?: Always
  /** With `allow`: only because it seems to read, so it must run where nothing can be written. */
  readonly readsOnly?: true
  /** With `ask`: it is about git's history, so a yes shows it. */
  readonly showsHistory?: true
  /** With `ask`: what would allow it without a question. */
  readonly remedy?: Remedy
}

export type Verdict = Authorization['verdict']

/** What a person decided beforehand. Of several rules that fit, the strictest counts. */
export type Rule = {
  /** Names of tools, with `*`. */
  readonly tool: string
  /** The start of a command, a path with wildcards or a URL with wildcards; absent = everything the tool does. */
  readonly pattern?: string
  /** This very command, not others that start with it. */
  readonly exact?: boolean
  readonly verdict: Verdict
}

export type Always = {
  readonly rules: readonly Rule[]
  /** In words, to be shown with the question. */
  readonly text: string
}

/** A rule that was made by an "always" and holds in one folder. */
export type StoredRule = Rule & { readonly folder: string; readonly addedAt: string }

export interface RuleBook {
  list(): readonly StoredRule[]
  add(folder: string, rules: readonly Rule[]): Promise<void>
  /** By its place in the list. */
  remove(index: number): Promise<StoredRule | undefined>
}

/** A file of a project that a person agreed to, with the hash of what was in it then. */
export type TrustedFile = {
  readonly path: string
  readonly contentHash: string
  readonly addedAt: string
  /** What was trusted, so that a change can be shown; absent where it is long. */
  readonly text?: string
}

export interface Trust {
  isTrusted(path: string, contentHash: string): boolean
  list(): readonly TrustedFile[]
  add(path: string, contentHash: string, text?: string): Promise<void>
  remove(path: string): Promise<boolean>
}

export type Authorize = (request: AuthorizeRequest) => Promise<Authorization>

export type PermissionAnswer =
  /** `remember`: true = always in this folder, `session` = until the session ends. */
  | { readonly allow: true; readonly remember?: boolean | 'session' }
  | { readonly allow: false; readonly reason?: string }

/** A call that was refused, or one that a person approved; for a later review. */
export type AuditEntry = {
  readonly what: 'refused' | 'approved'
  readonly sessionId: string
  /** What was asked for: the tool, or the route of a server. */
  readonly tool: string
  /** What it would have touched. */
  readonly targets: readonly string[]
  readonly why: string
  /** Who decided: a rule or mode, a hook, the firewall, a person. */
  readonly by: 'permissions' | 'hook' | 'firewall' | 'person' | 'server'
  /** Placeholders of secrets that were given out. */
  readonly secrets?: readonly string[]
}

export interface Permissions {
  readonly authorize: Authorize
  /** A rule denies everything this tool does, so it need not be offered. */
  forbids(tool: string): boolean
  /** Called for every approval: a remembered one becomes a rule, one for a protected path opens it for this call. */
  accept(request: AuthorizeRequest, answer: PermissionAnswer): Promise<void>
}

/** One thing a command in the sandbox sees, or one it does not see although what holds it is there. */
export type SandboxMount = {
  readonly target: string
  readonly how: 'read-only' | 'writable' | 'link' | 'temporary' | 'proc' | 'dev' | 'hidden' | 'sealed'
  /** Where it comes from, or what a link says. */
  readonly source?: string
  readonly why: string
}

export type SandboxTerms = {
  /** As for a command that only reads. */
  readonly readsOnly: boolean
  /** As for a command of another machine. */
  readonly host: boolean
}

export type SandboxView =
  | { readonly missing: string }
  | {
      readonly name: string
      readonly network: boolean
      readonly warnings: readonly string[]
      /** In the order they are made: later ones cover earlier ones. */
      readonly mounts: readonly SandboxMount[]
    }
