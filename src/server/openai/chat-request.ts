/** `POST /v1/chat/completions`: the fields of a request, and their meaning here. Unknown fields are ignored. */
import { z } from 'zod'
import { defined } from '../../lib/object.ts'
import type { ResponseFormat, ToolChoice } from '../../protocol/model.ts'
import type { Said } from '../api/conversation.ts'
import { type Ask, type Caller, toAsk, toTool } from '../api/ask.ts'
import { MOST_ALTERNATIVES } from './logprobs.ts'
import { samplingFields, toSampling } from '../api/sampling.ts'
import { Content, Schema, toContent, unsupported } from '../api/wire.ts'

const FunctionCall = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
})

const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content.nullish(),
  tool_calls: z.array(FunctionCall).nullish(),
  tool_call_id: z.string().nullish(),
  reasoning_content: z.string().nullish(),
})
type ChatMessage = z.infer<typeof ChatMessage>

export const ChatTool = z.looseObject({
  type: z.string().optional(),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: Schema.nullish(),
  }),
})

const ChatToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ function: z.looseObject({ name: z.string() }) }),
])

const ChatFormat = z.looseObject({
  type: z.enum(['text', 'json_object', 'json_schema']),
  json_schema: z.looseObject({ name: z.string().optional(), schema: Schema.optional() }).nullish(),
})

/** What Covey itself understands beyond the API. */
export const Extension = z.looseObject({ activity: z.boolean().optional() })

export const ChatRequest = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(ChatMessage).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(ChatTool).nullish(),
  tool_choice: ChatToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: ChatFormat.nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  ...samplingFields,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.int().positive().max(8).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(MOST_ALTERNATIVES).nullish(),
  covey: Extension.nullish(),
})
export type ChatRequest = z.infer<typeof ChatRequest>

export function fromChat(body: ChatRequest, caller: Caller): Ask {
  return toAsk(
    {
      model: body.model,
      said: body.messages.map(toSaid),
      isStream: body.stream ?? false,
      parallelCalls: body.parallel_tool_calls ?? true,
      ...defined({
        activity: body.covey?.activity,
        tools: body.tools?.map((tool) => toTool(tool.function)),
        toolChoice: toChoice(body.tool_choice),
        responseFormat: toFormat(body.response_format),
        maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
        logprobs: toLogprobs(body),
        stop: toStop(body.stop),
      }),
      ...toSampling(body),
    },
    caller,
  )
}

function toLogprobs({ logprobs, top_logprobs: top }: ChatRequest): number | undefined {
  if (logprobs) return top ?? 0
  if (!top) return undefined
  throw unsupported('top_logprobs', 'alternatives need log probabilities; send logprobs: true')
}

function toSaid(message: ChatMessage, index: number): Said {
  const { role } = message
  const { text, images } = toContent(message.content, `messages[${index}].content`)
  if (role === 'system' || role === 'developer') return { role: 'system', text }
  if (role === 'user') return { role, text, ...(images.length > 0 && { images }) }
  if (role === 'assistant') {
    const calls = (message.tool_calls ?? []).map((call, at) => ({
      id: call.id || `call-${index}-${at}`,
      name: call.function.name,
      input: call.function.arguments ?? '',
    }))
    const { reasoning_content: reasoning } = message
    return { role, text, calls, ...(reasoning && { reasoning }) }
  }
  return { role: 'tool', callId: message.tool_call_id ?? '', text, ok: true }
}

function toChoice(choice: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (!choice) return undefined
  return typeof choice === 'string' ? choice : { name: choice.function.name }
}

function toFormat(format: ChatRequest['response_format']): ResponseFormat | undefined {
  if (!format || format.type === 'text') return undefined
  const { name, schema } = format.json_schema ?? {}
  return { type: 'json', ...(name && { name }), ...defined({ schema }) }
}

export function toStop(stop: string | readonly string[] | null | undefined): readonly string[] | undefined {
  const all = typeof stop === 'string' ? [stop] : (stop ?? [])
  const useful = all.filter((text) => text !== '')
  return useful.length > 0 ? useful : undefined
}
