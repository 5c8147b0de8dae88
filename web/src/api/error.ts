/** What the server refused, in its own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export async function readError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { message?: string; code?: string | null } }
    | undefined
  const { message = `The server answered ${response.status}.`, code } = body?.error ?? {}
  return new ApiError(response.status, code ?? '', message)
}

export const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.message
  if (error instanceof TypeError) return 'The server cannot be reached. Is `covey serve` running?'
  return error instanceof Error ? error.message : String(error)
}
