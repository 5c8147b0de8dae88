/**
 * The chat API of llama-cpp-python, where it differs from others. A stream that it refuses is an empty one with status
 * 200, and a request that comes in meanwhile ends the reply with `[DONE]` and no reason: neither may pass for an answer.
 */
import type { Endpoint } from '../errors.ts'
import { brokenStream } from '../errors.ts'
import type { ReplyPart } from '../sdk/stream-parts.ts'
import type { ServerClient } from '../server-client.ts'

export type PythonRequest = {
  readonly client: ServerClient
  /** As it was sent, for a stream. */
  readonly body: object
  readonly signal: AbortSignal
}

/** Asks for the reason of an empty stream: without streaming, a refusal has a status and a text. */
export async function* withRefusals(
  parts: AsyncIterable<ReplyPart>,
  { client, body, signal }: PythonRequest,
): AsyncGenerator<ReplyPart> {
  let isEmpty = true
  for await (const part of parts) {
    isEmpty = false
    yield part
  }
  if (!isEmpty) return
  const { stream_options: _, ...whole } = body as { readonly stream_options?: object }
  await client.post('/v1/chat/completions', { ...whole, stream: false, max_tokens: 1 }, signal)
}

export const interruptedReply = (endpoint: Endpoint): ReplyPart => ({
  type: 'error',
  error: brokenStream(
    endpoint,
    'the server ended it for another request, as it does unless it is started with --interrupt_requests False',
  ),
})

/** It knows `json_object` only, and takes the schema there. */
export const pythonFormat = (schema: object | undefined): object => ({
  type: 'json_object',
  ...(schema && { schema }),
})
