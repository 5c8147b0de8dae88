/**
 * One error class. A code says what the caller can do next; the message names the thing and the next step, because a
 * person or a model reads it as it is.
 */
export type ErrorCode =
  | 'config-invalid' //    fix the file or flag named in the message
  | 'credential' //        set or correct the key
  | 'rate-limited' //      wait, or take another arm
  | 'model-unavailable' // try another arm, or wait
  | 'no-answer' //         all the model said was void: ask in smaller steps, or a larger model
  | 'request-invalid' //   the request itself is refused: sending it again does not help
  | 'context-overflow' //  compact, then ask again
  | 'tool-failed' //       tell the model
  | 'permission-denied' // tell the model
  | 'session-busy' //      another process writes this session
  | 'session-unknown' //   list the sessions
  | 'storage-failed' //    make room, or make the folder writable
  | 'offline' //           this use of the network is switched off

/** What the thrower knows beyond the code; the retry rule and the engine decide by it. */
export type ErrorDetails = {
  readonly status?: number
  readonly retryAfterMs?: number
  /** The model server is still loading its weights: wait, do not fail over. */
  readonly loading?: boolean
  /** No connection was made: `refused` is tried once more, `impossible` (TLS, another protocol) never. */
  readonly connection?: 'refused' | 'impossible'
  /** The server tried to parse a tool call in the reply and could not: ask again without native tools. */
  readonly unparsedCall?: boolean
  /** The context window in tokens, where the refusal names it. */
  readonly window?: number
  /** How many tokens the refused prompt had by the server's own count. */
  readonly promptTokens?: number
  /** What kind of tool failure it was; the result of the call carries it. */
  readonly failure?: FailureCode
}

/** Why a call gave no good result. Detectors count failures by this, never by the wording of the text. */
export const failureCodes = [
  'unknown-tool',
  'bad-arguments',
  'missing-path',
  'no-match', //      an edit whose old text is not there, or there more than once
  'exit-code',
  'timeout',
  'denied',
  'refused', //       a detector refused to run it again
  'cut', //           the output limit or a broken stream cut the call off
  'interrupted', //   the run ended while it ran
  'failed',
] as const
export type FailureCode = (typeof failureCodes)[number]

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, options: ErrorDetails & { cause?: unknown } = {}) {
    const { cause, ...details } = options
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }
}

/** What any thrown value says, for a person. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
