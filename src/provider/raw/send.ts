/** A prompt that is already text or tokens, on its way to a server, and what comes back as parts of a reply. */
import { AppError } from '../../protocol/error.ts'
import type { RawPart, RawWire, Timings } from './wire.ts'
import type { ServerClient } from '../server-client.ts'
import { finishPart, type CountedTokens, type ReplyPart } from '../sdk/stream-parts.ts'

type RawQuestion = { readonly wire: Pick<RawWire, 'path' | 'parts'>; readonly body: object }

export async function* sendRaw(
  client: ServerClient,
  { wire, body }: RawQuestion,
  signal: AbortSignal,
): AsyncGenerator<RawPart> {
  try {
    for await (const value of client.stream(wire.path, body, signal)) {
      yield* wire.parts(value, client.endpoint)
    }
  } catch (error) {
    throw error instanceof AppError && NO_SUCH_PATH.has(error.details.status) ? takesNoPrompts(error) : error
  }
}

const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405, 501])

/** Marked so that the arm is asked in another way from then on. */
const takesNoPrompts = (error: AppError): AppError =>
  new AppError('model-unavailable', `${error.message} It takes no raw prompts.`, {
    ...error.details,
    unparsedCall: true,
    cause: error,
  })

export async function* toReplyParts(
  parts: AsyncIterable<RawPart>,
  onTimings?: (timings: Timings) => void,
): AsyncGenerator<ReplyPart> {
  let reason: string | undefined
  let counted: CountedTokens = {}
  for await (const part of parts) {
    if (part.type === 'text') yield { type: 'text-delta', id: '0', delta: part.text }
    else if (part.type === 'logprobs' || part.type === 'progress') yield part
    else if (part.type === 'reason') reason = part.reason
    else if (part.type === 'tokens') counted = part
    else onTimings?.(part)
  }
  // Without a reason the reply was cut, and nothing of it may be executed.
  if (reason !== undefined) yield finishPart(reason, counted)
}
