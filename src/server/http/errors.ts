/**
 * Errors in the form the clients of a route expect. An error becomes a Problem once, here; a Problem becomes
 * the body of one of three wire shapes. Errors a client cannot fix get a general message: the log has the rest.
 */
import { z } from 'zod'
import { AppError, type ErrorCode } from '../../protocol/error.ts'
import type { ErrorShape } from './route.ts'

export type Problem = {
  readonly status: number
  readonly type: ProblemType
  /** For programs; null where the status says it all. */
  readonly code: string | null
  readonly message: string
  /** The field of the request that is wrong. */
  readonly param: string | null
  readonly retryAfterS?: number
  /** Methods that this path has. */
  readonly allow?: string
}

type ProblemType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error'

/** Thrown where the request itself is refused before or beside any route. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

export function defineProblem(
  status: number,
  code: string | null,
  message: string,
  more: Partial<Pick<Problem, 'param' | 'retryAfterS' | 'allow'>> = {},
): Problem {
  return { status, type: typeOf(status), code, message, param: null, ...more }
}

export function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
  if (error instanceof AppError) return fromAppError(error)
  if (error instanceof z.ZodError) return fromZod(error)
  return defineProblem(500, 'internal_error', 'Internal error in covey; see its log.')
}

/** The shape for paths that no route answers, by the API they belong to. */
export function shapeOfPath(path: string): ErrorShape {
  if (/^\/v1\/messages(\/|$)/.test(path)) return 'anthropic'
  return path.startsWith('/api/') ? 'ollama' : 'openai'
}

export function toErrorBody(problem: Problem, shape: ErrorShape, requestId: string): unknown {
  const { type, message, param, code } = problem
  if (shape === 'ollama') return { error: message }
  if (shape === 'openai') return { error: { message, type, param, code } }
  return {
    type: 'error',
    error: { type: anthropicTypes[problem.status] ?? anthropicType(problem), message },
    request_id: requestId,
  }
}

const statuses: Readonly<Record<ErrorCode, number>> = {
  'config-invalid': 500,
  // The key for the model's server is wrong, not the client's own.
  credential: 502,
  'rate-limited': 429,
  'model-unavailable': 503,
  // The model behind this server did not deliver.
  'no-answer': 502,
  'request-invalid': 400,
  'context-overflow': 400,
  'tool-failed': 500,
  'permission-denied': 403,
  'session-busy': 409,
  'session-unknown': 404,
  'storage-failed': 507,
  offline: 503,
}

const codes: Partial<Readonly<Record<ErrorCode, string>>> = {
  'context-overflow': 'context_length_exceeded',
  'rate-limited': 'rate_limit_exceeded',
  credential: 'upstream_credential',
}

const RETRY_AFTER_S = 5

function fromAppError({ code, message, details }: AppError): Problem {
  const retryAfterS = Math.max(1, Math.ceil((details.retryAfterMs ?? RETRY_AFTER_S * 1000) / 1000))
  if (details.loading) return defineProblem(503, 'model_loading', message, { retryAfterS })
  const isRefusal = code === 'request-invalid' && isClientStatus(details.status)
  const status = isRefusal ? details.status : statuses[code]
  const isPassing = code === 'rate-limited' || code === 'model-unavailable'
  const name = status === 404 && isRefusal ? 'not_found' : (codes[code] ?? code.replaceAll('-', '_'))
  return defineProblem(status, name, message, isPassing ? { retryAfterS } : {})
}

const isClientStatus = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 500 && status !== 401

function fromZod(error: z.ZodError): Problem {
  const [issue] = error.issues
  const param = issue && issue.path.length > 0 ? z.core.toDotPath(issue.path) : null
  const what = issue?.message ?? 'not what this route takes'
  const message = param === null ? `The request is wrong: ${what}` : `\`${param}\` is wrong: ${what}`
  return defineProblem(400, 'invalid_value', message, { param })
}

function typeOf(status: number): ProblemType {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

const anthropicTypes: Readonly<Record<number, string>> = {
  413: 'request_too_large',
  503: 'overloaded_error',
  529: 'overloaded_error',
}

const anthropicType = ({ type }: Problem): string => (type === 'server_error' ? 'api_error' : type)
