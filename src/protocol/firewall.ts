/**
 * The firewall's seam. A secret never leaves as itself: what leaves holds a placeholder, `[secret:aws-key:k3f9:1]`, and
 * only a write to the file the secret came from, or a call a person approved, gets the real value back.
 */
import type { Model } from './model.ts'
import type { Category, Files } from './tool.ts'

/** What to do with a text that holds it: put a placeholder, hold the whole text back, or only tell the person. */
export type SecretAction = 'redact' | 'block' | 'warn'

export type SecretPattern = {
  readonly name: string
  /** Searched in linear time: no look-around, no back-references. */
  readonly regex: string | RegExp
  /** Absent = redact. */
  readonly action?: SecretAction
}

export type FoundSecret = { readonly kind: string; readonly placeholder: string }

/** A secret as a dialog names it. */
export type SecretInside = FoundSecret & {
  /** A file known to contain it. */
  readonly path?: string
}

/** Where a text comes from: the file whose whole content it is, if it is one. */
export type TextSource = { readonly path?: string }

/** Text in pieces. Any cut of the same text gives the same text; nothing makes it throw. */
export interface SecretStream {
  push(chunk: string): string
  end(): string
}

export type RestoreRequest = {
  readonly tool: string
  readonly category: Category
  readonly input: unknown
  /** The files it would write. */
  readonly targets: readonly string[]
}

export type Restored =
  /** Run it with this input; only approved secrets are filled in. Never show or log it. */
  | { readonly verdict: 'pass'; readonly input: unknown }
  /** A person may approve these secrets for this tool and these targets; without a yes it must not run. */
  | { readonly verdict: 'ask'; readonly why: string; readonly secrets: readonly SecretInside[] }
  | { readonly verdict: 'refuse'; readonly why: string }

/** What is kept about a secret over a restart: where it stands and a keyed hash, never its value. */
export type SecretRecord =
  | { readonly type: 'start'; readonly tag: string }
  | {
      readonly type: 'secret'
      readonly number: number
      readonly kind: string
      readonly hash: string
      readonly length: number
      readonly path?: string
      readonly offset?: number
    }

export interface Firewall {
  /**
   * The text as it may leave for a model, a peer, a person's screen or a file of ours. Doing it twice changes nothing.
   */
  outgoing(text: string, source?: TextSource): Promise<string>
  /** The same at once, without the second opinion of the large detector: for logs and events. */
  outgoingNow(text: string): string
  /** Every text inside a value, at once. The same value when there is nothing to hide. */
  outgoingValue<Value>(value: Value): Value
  stream(): SecretStream
  /**
   * The project's files as tools may see them: reads give placeholders, writes put the values back where they belong.
   */
  readonly files: Files
  /** The same model, asked with clean requests and heard through a clean stream. */
  model(model: Model): Model
  /** The same for a client that sent the secrets itself: the request carries placeholders, the reply the values. */
  echo(model: Model): Model
  /** What to do with a call whose arguments may hold placeholders; asked before every call, permission or not. */
  restore(request: RestoreRequest): Promise<Restored>
  /**
   * A person said yes to what `restore` asked: the input to run this once, or with `always` whenever this tool asks.
   */
  approve(request: RestoreRequest, options?: { readonly always?: boolean }): Promise<unknown>
  /** The secrets a call or text stands for, for the dialog. */
  secretsIn(value: unknown): readonly SecretInside[]
}
