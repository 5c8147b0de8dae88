/** `POST /v1/responses`: for Codex and the newer clients of OpenAI. */
import { answer } from '../api/answer.ts'
import type { ApiParts, Ask, Caller } from '../api/ask.ts'
import { defaultName } from './chat.ts'
import type { Said } from '../api/conversation.ts'
import type { ResponseService } from './responses-service.ts'
import { type OutputItem, type ResponseEvent, ResponseReply, ResponseStream } from './responses-reply.ts'
import { customNames, fromResponses, ResponsesRequest, toSaid } from './responses-request.ts'
import { toNamedPart, toSeconds } from '../api/wire.ts'
import { defineProblem, ProblemError, toProblem } from '../http/errors.ts'
import { newId } from '../http/new-id.ts'
import { defineRoute, type Route, type StreamPart } from '../http/route.ts'

export const responsesRoute = (parts: ApiParts, service: ResponseService): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/responses',
    scope: 'chat',
    summary: 'Answers a list of items, as OpenAI does; previous_response_id goes on from an earlier answer.',
    body: ResponsesRequest,
    reply: ResponseReply,

    async handle({ body, ...caller }) {
      const earlier = requireEarlier(body.previous_response_id, service, caller)
      const ask = fromResponses(body, earlier, caller)
      const head = toHead(body, ask.model ?? defaultName(parts), parts.now())
      const stream = new ResponseStream(head, customNames(body.tools))
      const keep = (response: object) => {
        const said = [...earlier, ...toSaid(body), ...outputToSaid(stream.output)]
        if (body.store !== false) service.keep(head.id, caller.client, { said, response })
      }
      const isSeen = body.stream ?? false
      const events = inTheWorks({ ask, stream, head, keep, isSeen }, { parts, service }, caller)
      if (!body.stream) return { kind: 'json', body: await lastResponse(events) }
      const number = numbering()
      return {
        kind: 'stream',
        format: 'sse',
        parts: toParts(events, number),
        failure: (error) => stream.failed(toProblem(error)).map(number).map(toNamedPart),
      }
    },
  })

function requireEarlier(
  id: string | null | undefined,
  service: ResponseService,
  { client }: Caller,
): readonly Said[] {
  if (!id) return []
  const earlier = service.find(id, client)
  if (earlier) return earlier.said
  const message = `The response ${id} is not known here (any more). Send the whole conversation as input.`
  const param = 'previous_response_id'
  throw new ProblemError(defineProblem(400, 'previous_response_not_found', message, { param }))
}

const toHead = (body: ResponsesRequest, model: string, now: number): ResponseReply => ({
  id: newId('resp_'),
  object: 'response',
  created_at: toSeconds(now),
  status: 'in_progress',
  model,
  output: [],
  error: null,
  incomplete_details: null,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  metadata: body.metadata ?? {},
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  previous_response_id: body.previous_response_id ?? null,
  store: body.store ?? true,
  temperature: body.temperature ?? null,
  text: body.text ?? { format: { type: 'text' } },
  tool_choice: body.tool_choice ?? 'auto',
  tools: body.tools ?? [],
  top_p: body.top_p ?? null,
  truncation: 'disabled',
  usage: null,
})

type Followed = {
  readonly ask: Ask
  readonly stream: ResponseStream
  readonly head: ResponseReply
  /** Events reach the client as they come. */
  readonly isSeen: boolean
  keep(response: object): void
}

type Surroundings = { readonly parts: ApiParts; readonly service: ResponseService }

/** Can be cancelled while it lasts; one that was is kept as that. */
async function* inTheWorks(
  followed: Followed,
  { parts, service }: Surroundings,
  caller: Caller,
): AsyncGenerator<ResponseEvent> {
  const { head, stream, keep } = followed
  const opened = service.open(head, caller.client)
  try {
    yield* follow(followed, parts, { ...caller, signal: AbortSignal.any([caller.signal, opened.signal]) })
  } catch (error) {
    if (opened.signal.aborted) keep({ ...head, status: 'cancelled', output: [...stream.output] })
    throw error
  } finally {
    opened.end()
  }
}

async function* follow(
  { ask, stream, keep, isSeen }: Followed,
  parts: ApiParts,
  caller: Caller,
): AsyncGenerator<ResponseEvent> {
  for await (const event of answer(ask, parts, caller)) {
    if (event.type === 'restart' && !isSeen) stream.reset()
    const told = event.type === 'restart' && !isSeen ? [] : [...stream.take(event)]
    // Stored before it is sent: a client may use the id at once.
    if (event.type === 'finish') keep(told.at(-1)?.['response'] ?? {})
    yield* told
  }
}

async function lastResponse(events: AsyncIterable<ResponseEvent>): Promise<unknown> {
  let response: unknown
  for await (const event of events) response = event['response'] ?? response
  return response
}

type Numbered = ResponseEvent & { readonly sequence_number: number }

function numbering(): (event: ResponseEvent) => Numbered {
  let next = 0
  return (event) => ({ ...event, sequence_number: next++ })
}

async function* toParts(
  events: AsyncIterable<ResponseEvent>,
  number: (event: ResponseEvent) => Numbered,
): AsyncGenerator<StreamPart> {
  for await (const event of events) yield toNamedPart(number(event))
}

/** Calls join the words before them: together they are one reply. */
function outputToSaid(output: readonly OutputItem[]): readonly Said[] {
  const text = output
    .flatMap((item) => (item.type === 'message' ? item.content.map((part) => part.text) : []))
    .join('\n')
  const calls = output.flatMap((item) => {
    if (item.type === 'function_call') return [{ id: item.call_id, name: item.name, input: item.arguments }]
    if (item.type !== 'custom_tool_call') return []
    return [{ id: item.call_id, name: item.name, input: JSON.stringify({ input: item.input }) }]
  })
  return text === '' && calls.length === 0 ? [] : [{ role: 'assistant', text, calls }]
}
