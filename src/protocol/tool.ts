/**
 * Anything the agent can do. A tool is one declaration: what the model sees, what it may access, what it does.
 * Tools reach the world only through `ToolContext`, which `guard/` implements, so that no tool can go round it.
 */
import type { Ask } from './question.ts'
import { z } from 'zod'
import type { EditForm, ToolFace } from './edit-form.ts'
import type { FailureCode } from './error.ts'
import type { SubagentEvent } from './subagent.ts'

export const categories = ['read', 'write', 'search', 'run', 'web', 'memory', 'meta'] as const
export type Category = (typeof categories)[number]

export const isCategory = (word: string): word is Category => (categories as readonly string[]).includes(word)

/** What one call would touch, as the guard judges it. */
export type Access = {
  /** `store`: something of its own that later sessions read, named by the target: the memory, the plan. */
  readonly kind: 'read' | 'write' | 'run' | 'fetch' | 'store'
  readonly target: string
  /** With `run`: the target is no shell command but code in this language. */
  readonly language?: string
}

/** What came back. `ok: false` for every failure, a non-zero exit included. */
export type ToolResult = {
  readonly ok: boolean
  readonly text: string
  readonly code?: FailureCode
  /** Paths of the project this call created, changed or removed. */
  readonly changed?: readonly string[]
  /** Found around commands of its own; those of the session's are known. */
  readonly executable?: ExecutableChanges
  readonly data?: unknown
}

export type ToolDeclaration<Schema extends z.ZodType> = {
  readonly name: string
  readonly description: string
  readonly category: Category
  readonly input: Schema
  /** Other faces of the same tool; `run` takes what the `input` of each of them gives. */
  readonly forms?: Readonly<Partial<Record<EditForm, ToolFace>>>
  /** Parameters that name a path in the project; preflight repairs them before anything else looks. */
  readonly paths?: readonly string[]
  /** A path that does not exist yet is fine: the call makes it. */
  readonly creates?: boolean
  /** What the call would touch. Absent = nothing outside the session. */
  access?(input: z.infer<Schema>): readonly Access[]
  /** Asking again is its purpose (a job's output): identical calls are no loop while the result changes. */
  readonly polling?: boolean
  /** Never shown from the start, so that the list stays as it is: found with `more_tools`, used with `call_tool`. */
  readonly deferred?: boolean
  /** Its results are pages, already sized for the window: never cut again. */
  readonly paged?: boolean
  /** Absent = two minutes; Infinity = it keeps time itself. */
  readonly timeoutMs?: number
  /**
   * Whether the call would work, found out by reading only; may throw as `run` does. Absent = only running it shows.
   */
  check?(input: z.infer<Schema>, context: CheckContext): Promise<CheckResult>
  run(input: z.infer<Schema>, context: ToolContext): Promise<string | ToolResult>
}

/** Nothing in it can change anything. */
export type CheckContext = {
  readonly files: Pick<Files, 'root' | 'read' | 'info' | 'list'>
  readonly signal: AbortSignal
}

/** What a file would become; `undefined` stands for "is not there". */
export type FileChange = {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  /** Equal where what a parser makes of `after` is; absent if it was not parsed. */
  readonly shape?: string
}

/** What a command says about changes that were not made; nothing of it stays. */
export type TryChanges = (
  changes: readonly FileChange[],
  command: string,
  options: ExecOptions,
) => Promise<ExecResult>

export type CheckResult =
  /** `changes`: what the call would leave behind, where that is known. Two calls with the same changes are one. */
  | { readonly ok: true; readonly changes?: readonly FileChange[] }
  | { readonly ok: false; readonly why: string; readonly changes?: readonly FileChange[] }

export type Tool = Omit<ToolDeclaration<z.ZodType>, 'run' | 'access' | 'check'> & {
  access(input: unknown): readonly Access[]
  check?(input: unknown, context: CheckContext): Promise<CheckResult>
  run(input: unknown, context: ToolContext): Promise<ToolResult>
}

/** Erases the input type after binding it to the schema; callers parse with `tool.input` first. */
export function defineTool<Schema extends z.ZodType>(declaration: ToolDeclaration<Schema>): Tool {
  return {
    ...declaration,
    access: (input) => declaration.access?.(input as z.infer<Schema>) ?? [],
    async run(input, context) {
      const output = await declaration.run(input as z.infer<Schema>, context)
      return typeof output === 'string' ? { ok: true, text: output } : output
    },
  }
}

/** A call that changes nothing outside the session may run beside its neighbours. */
export const isReadOnly = (access: readonly Access[]): boolean => access.every(({ kind }) => kind === 'read')

/** What a run may use at most; absent = everything. */
export type RunLimits = {
  /** Only these tools. */
  readonly allowedTools?: readonly string[]
  /** None of these, whatever else is allowed. */
  readonly deniedTools?: readonly string[]
  /** Only paths under these; switches the shell off. */
  readonly allowedPaths?: readonly string[]
}

export type ToolContext = {
  readonly files: Files
  readonly exec: Exec
  /** Absent where the web is out of reach. */
  readonly fetch?: Fetch
  readonly results: Results
  readonly ask: Ask
  readonly cwd: string
  readonly signal: AbortSignal
  /** Live output of a running call, for watching clients. */
  output(text: string): void
  /** What agents do that this call started. */
  tell(event: SubagentEvent): void
  /** What the run itself is held to, for a tool that starts another run from within it. */
  readonly limits: RunLimits
  readonly editForm?: EditForm // absent = by search and replace
  /** The most tokens one page of a file or result may take in this run's window. */
  readonly pageTokens: number
  countTokens(text: string): number
  isOffered?(name: string): boolean // whether the model was shown this tool
}

export type FileInfo = {
  readonly kind: 'file' | 'folder' | 'other'
  readonly bytes: number
  readonly mode: number
}

/** The project's files. Paths are relative to the root; what lies outside is refused with `permission-denied`. */
export interface Files {
  readonly root: string
  /** The whole text. Throws for a missing path, a folder, a binary file or one over the size limit. */
  read(path: string, signal?: AbortSignal): Promise<string>
  /** The bytes of a file of any size, as they come; the reader keeps what it needs and may leave early. */
  stream(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** Atomic; keeps the mode bits of a file that exists, makes missing parent folders. */
  write(path: string, text: string): Promise<void>
  remove(path: string): Promise<void>
  info(path: string): Promise<FileInfo | undefined>
  /** Names in a folder, folders with a trailing slash, sorted. */
  list(path: string): Promise<readonly string[]>
}

/** What a sandbox keeps a command from; named again, what the person lets it do after all. */
export type Blocked =
  | { readonly kind: 'network' }
  /** Exactly this path; `create` says what it becomes where it does not exist. */
  | { readonly kind: 'write'; readonly path: string; readonly create?: 'file' | 'folder' }
  /** It was taken for a command that only reads, and tried to write. `why` is set once writing was refused, too. */
  | { readonly kind: 'read-only'; readonly why?: string }
  /** A write that no yes opens; without a path where the command does not say which. */
  | { readonly kind: 'outside'; readonly path?: string }

export type ExecOptions = {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The person allowed this, for this one run. */
  readonly grant?: Blocked
  /** It only looks: where there is a sandbox, it cannot write anything there. */
  readonly readsOnly?: boolean
  readonly showsHistory?: boolean // although a rule closes paths that git may have in its history
  readonly onOutput?: (text: string) => void
}

export type ExecResult = {
  /** `undefined` when a signal or the time limit ended it. */
  readonly exitCode: number | undefined
  /** stdout and stderr as they came, head and tail kept when there was too much. */
  readonly output: string
  readonly timedOut: boolean
  readonly omittedBytes: number
  /** It failed, and it seems that the sandbox was in its way. */
  readonly blocked?: Blocked
}

/** Something that would run later without a question, created or changed by a command and therefore withheld. */
export type Withheld = {
  /** From the project's root where it lies in it. */
  readonly path: string
  /** Completes "If it stays, …". */
  readonly does: string
  readonly isNew: boolean
  /** What counts in it, for the person who decides. */
  readonly shown: string
  /** Where it lies now; absent where nothing is written down. */
  readonly keptAt?: string
  /** Puts it where the command had put it. Absent where that cannot be. */
  keep?(): Promise<void>
  /** Why it could not be withheld. */
  readonly problem?: string
}

/** What commands did to configuration that runs later. */
export type ExecutableChanges = {
  readonly withheld: readonly Withheld[]
  /** Changed files that run when a user starts them, from the project's root. */
  readonly started: readonly string[]
}

export type Job = {
  readonly id: string
  readonly command: string
  readonly startedAt: number
  readonly state: 'running' | 'ended'
  readonly exitCode?: number
}

export type ProgramEnd = {
  /** `undefined` when a signal ended it. */
  readonly exitCode: number | undefined
}

/** A program that stays and is talked to. It ends with `kill`, with its signal and with the session. */
export interface Program {
  /** Resolves once the program has room for more; throws when it is over. */
  write(bytes: Uint8Array): Promise<void>
  /** stdout, for one reader; a reader that stops reading blocks the program. Ends with the program. */
  readonly output: AsyncIterable<Uint8Array>
  /** The end of what it said on stderr. */
  complaints(): string
  /** Rejects only when it could not be started. */
  readonly ended: Promise<ProgramEnd>
  /** Ends it and all its children; resolves when they are gone. */
  kill(): Promise<void>
}
export type OpenOptions = Partial<Pick<ExecOptions, 'signal' | 'readsOnly' | 'showsHistory'>>

/** Child processes. stdin is closed; the whole process group ends on cancel and on time-out. */
export interface Exec {
  /** Runs through the shell. At the time limit the command goes on as a background job, named in `job`. */
  shell(command: string, options: ExecOptions): Promise<ExecResult & { readonly job?: Job }>
  /** Runs one program without a shell. */
  program(argv: readonly string[], options: ExecOptions): Promise<ExecResult>
  /** Starts one program without a shell, with its stdin open; confined as every other. */
  open(argv: readonly string[], options?: OpenOptions): Promise<Program>
  start(command: string, options?: Pick<ExecOptions, 'readsOnly' | 'showsHistory'>): Promise<Job>
  /** What a job printed since the last call, and its state. */
  poll(id: string): Promise<{ readonly job: Job; readonly output: string }>
  stop(id: string): Promise<Job>
  jobs(): readonly Job[]
  /** What commands did to executable configuration since the last call; absent where it is not compared. */
  executable?(): Promise<ExecutableChanges>
}

export type FetchOptions = {
  /** Sent to the first origin only. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export type FetchedPage = {
  /** Where it came from, redirects followed. */
  readonly url: string
  readonly status: number
  readonly mediaType: string
  readonly title?: string
  /** Markdown where it was a page. */
  readonly text: string
}

/** The public web, read only. Throws `permission-denied` for every other place. */
export type Fetch = (url: string, options: FetchOptions) => Promise<FetchedPage>

export type StoredResult = {
  readonly id: string
  readonly label: string
  readonly bytes: number
  readonly lines: number
}

/** Long results, kept outside the context and read page by page. */
export interface Results {
  put(label: string, text: string): Promise<StoredResult>
  read(id: string): Promise<string | undefined>
  list(): Promise<readonly StoredResult[]>
}
