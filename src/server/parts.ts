/** What the server is handed: models to ask, sessions to steer, who may come in. It imports none of those parts. */
import type { Capabilities, Lease, ReserveRequest } from '../protocol/arm.ts'
import type { SessionEvent } from '../protocol/event.ts'
import type { Message } from '../protocol/message.ts'
import type { Model, ModelRequest } from '../protocol/model.ts'
import type { SessionApi, SessionInfo } from '../protocol/session-api.ts'
import type { Undo } from '../protocol/undo.ts'

/** A model as clients see it in the list. */
export type ServedModel = {
  readonly id: string
  readonly ownedBy: string
  /** Seconds since 1970. */
  readonly created: number
  readonly capabilities: Capabilities
  readonly embeddings: boolean
}

/** A request made to fit the window, or why it cannot be. */
type Fitted =
  | {
      readonly ok: true
      readonly request: ModelRequest
      readonly shortened: readonly string[]
      /** The tool that stands for tools which are only listed: `{name, arguments}` of the one that is meant. */
      readonly callTool?: string
    }
  | { readonly ok: false; readonly tokens: number; readonly window: number }

export type ReserveAbout = Pick<ReserveRequest, 'task' | 'sessionId' | 'vision'> & {
  /** Whose secrets these are: placeholders of one client mean nothing to another. */
  readonly client: string
}

export type ModelParts = {
  /** Without the agents. */
  list(): readonly ServedModel[]
  /**
   * The right to ask this model once; `request-invalid` names the models there are. Undefined = the default one.
   * `about` is for models that choose another: which conversation it is, whose prefix some arm may still hold.
   */
  reserve(model: string | undefined, signal: AbortSignal, about?: ReserveAbout): Promise<Lease>
  /** A pure function of the request and the window, so that the next request of a conversation is cut the same way. */
  fit(request: ModelRequest, lease: Lease): Fitted
  /** Tokens of a request as the model would count it. */
  count(request: ModelRequest, lease: Lease): number
  /** Absent where no arm has embeddings. */
  readonly embed?: (
    model: string,
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly (readonly number[])[]>
  /**
   * Fills gaps as the leased model was trained to; nothing where it was not. A request to it has two messages: what
   * stands before the gap and what stands after it.
   */
  fillIn?(lease: Lease, client: string): Model | undefined
  /** How many requests a model answers at a time. */
  slots(model: string): number
}

/** A session the server holds open. Closing gives it free for others. */
export type HeldSession = SessionApi & { close(): Promise<void> }

export type AgentParts = {
  /** Profiles of the configuration that `covey/agent:<profile>` may name. */
  readonly profiles: readonly string[]
  /**
   * A session for one request, with what was said before it as its history; it leaves no trace on disk. There is no
   * user to ask: a call that would need approval is refused.
   */
  open(input: {
    readonly profile?: string
    readonly history: readonly Message[]
    readonly system: string
    /** Who asks. */
    readonly client: string
  }): Promise<HeldSession>
}

/** What a person may switch in an open session, and look up for it. */
export type SessionControls = {
  readonly arms: Choices
  readonly modes: Choices
  readonly undo: Undo
  /** Paths of the project, for completion. */
  files(): Promise<readonly string[]>
  /** A file as it goes into a message; undefined where it cannot be read. */
  mention(
    path: string,
  ): Promise<{ readonly text: string; readonly tokens: number; readonly isOutline: boolean } | undefined>
}

type Choices = {
  /** Absent = as the configuration says. */
  current(): string | undefined
  list(): readonly string[]
  /** Throws `request-invalid` for one that is not in the list. */
  use(name: string | undefined): void
}

/** A persistent session: a client that lost the connection resumes with the number of the last event it saw. */
export type KeptSession = HeldSession & { readonly lastEventId: number; readonly controls?: SessionControls }

type ExportFormat = 'markdown' | 'json' | 'html'

/** Sessions on disk, also those that are not open. */
export type SessionShelf = {
  search(text: string): Promise<readonly { readonly info: SessionInfo; readonly excerpt: string }[]>
  fork(id: string, messages?: number): Promise<string>
  remove(id: string): Promise<void>
  export(id: string, format: ExportFormat): Promise<string>
}

type SessionLook = {
  readonly messages: readonly Message[]
  readonly lastEventId: number
  events(after: number): AsyncIterable<readonly SessionEvent[]>
}

export type SessionParts = {
  create(): Promise<KeptSession>
  resume(id: string): Promise<KeptSession>
  /** As it would be if it were resumed now, without doing so: looking needs no model and keeps no other process out. */
  look(id: string): Promise<SessionLook>
  list(): Promise<readonly SessionInfo[]>
  /** Absent where sessions are only opened and listed. */
  readonly shelf?: SessionShelf
}

/** Called for every refused request and every approval. */
export type TellAudit = (entry: {
  readonly what: 'refused' | 'approved'
  readonly client: string
  readonly route: string
  readonly why: string
}) => void
