/**
 * The body of a request to `/chat/completions`, as one arm gets it. Pure: the same request is always the same bytes.
 */
import { emissionStops, emit } from '../../context/emit.ts'
import { defined } from '../../lib/object.ts'
import type { WireMessage } from '../../context/wire.ts'
import type { ModelRequest, ToolChoice } from '../../protocol/model.ts'
import type { ArmRendering } from '../sdk/call-options.ts'
import { requestFields, wireCallId, type Quirks } from '../quirks.ts'
import { pythonFormat } from './python-server.ts'
import { samplingFields } from '../sampling.ts'

export function toChatBody(request: ModelRequest, model: string, arm: ArmRendering): object {
  const { emission, writer, reasoning, vision = false, quirks = {} } = arm
  const messages = emit(request, emission, writer, { reasoning, vision })
  const tools = arm.tools === 'text' ? [] : request.tools
  const stop = [...(request.stop ?? []), ...emissionStops(emission)]
  const { responseFormat: format, toolChoice } = request
  return {
    model,
    ...(request.maxTokens !== undefined && { max_tokens: request.maxTokens }),
    ...samplingFields(request),
    ...logprobsFields(request),
    ...(format?.type === 'json' && {
      response_format: arm.isPythonServer ? pythonFormat(format.schema) : toFormat(format),
    }),
    ...(stop.length > 0 && { stop }),
    ...wireFields(quirks, request),
    messages: messages.map((message) => withWireIds(message, quirks)),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(tools.length > 0 && toolChoice && { tool_choice: toChoice(toolChoice) }),
    ...defined({ grammar: arm.grammarFor?.(request) }),
    // Also for a client that wants the answer whole: a stream shows that the server is at work and how fast it is, and
    // some servers notice only while they write that the client is gone.
    stream: true,
    stream_options: { include_usage: true },
    ...(arm.tellsProgress && { return_progress: true }),
  }
}

const logprobsFields = ({ logprobs }: ModelRequest): object =>
  logprobs === undefined ? {} : { logprobs: true, ...(logprobs > 0 && { top_logprobs: logprobs }) }

/** Rules are shared with wire formats that call it otherwise. */
function wireFields(quirks: Quirks, request: ModelRequest): object {
  const { reasoningEffort, ...fields } = requestFields(quirks, request)
  return reasoningEffort === undefined ? fields : { ...fields, reasoning_effort: reasoningEffort }
}

const toFormat = ({
  schema,
  name = 'reply',
}: {
  readonly schema?: object
  readonly name?: string
}): object =>
  schema === undefined
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name, schema, strict: true } }

const toChoice = (choice: ToolChoice): unknown =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }

function withWireIds(message: WireMessage, quirks: Quirks): WireMessage {
  if (message.role === 'tool') return { ...message, tool_call_id: wireCallId(message.tool_call_id, quirks) }
  if (message.role !== 'assistant' || !message.tool_calls) return message
  const calls = message.tool_calls.map((call) => ({ ...call, id: wireCallId(call.id, quirks) }))
  return { ...message, tool_calls: calls }
}
