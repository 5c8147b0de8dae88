/** The two questions of Ollama's API, and what they mean here. Results carry no id there: they answer calls in order. */
import { z } from 'zod'
import { isObject } from '../../lib/json.ts'
import { defined } from '../../lib/object.ts'
import type { Image, ToolCall } from '../../protocol/message.ts'
import type { ResponseFormat } from '../../protocol/model.ts'
import { type Ask, type Caller, toAsk, toTool } from '../api/ask.ts'
import { ChatTool, Extension, toStop } from '../openai/chat-request.ts'
import type { Said } from '../api/conversation.ts'
import { aroundGap } from '../api/fill.ts'
import { toSampling } from '../api/sampling.ts'
import { JsonObject } from '../api/wire.ts'

const OllamaMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  images: z.array(z.string()).nullish(),
  tool_calls: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), arguments: JsonObject.nullish() }) }))
    .nullish(),
  tool_name: z.string().nullish(),
})
type OllamaMessage = z.infer<typeof OllamaMessage>

const Options = z.looseObject({
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  seed: z.int().nullish(),
  num_predict: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
})

const Common = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  format: z.union([z.literal(''), z.literal('json'), JsonObject]).nullish(),
  options: Options.nullish(),
  think: z.union([z.boolean(), z.string()]).nullish(),
  covey: Extension.nullish(),
})

export const OllamaChat = Common.extend({
  messages: z.array(OllamaMessage).nullish(),
  tools: z.array(ChatTool).nullish(),
})
export type OllamaChat = z.infer<typeof OllamaChat>

export const OllamaGenerate = Common.extend({
  prompt: z.string().nullish(),
  suffix: z.string().nullish(),
  system: z.string().nullish(),
  images: z.array(z.string()).nullish(),
})
export type OllamaGenerate = z.infer<typeof OllamaGenerate>

export function fromOllamaChat(body: OllamaChat, caller: Caller): Ask {
  const tools = body.tools?.map((tool) => toTool(tool.function))
  const said = toSaid(body.messages ?? [])
  return toAsk({ ...common(body), said, ...defined({ tools }) }, caller)
}

export function fromOllamaGenerate(body: OllamaGenerate, caller: Caller): Ask {
  const { prompt, suffix } = body
  const gap = suffix ? { before: prompt ?? '', after: suffix } : undefined
  const text = gap ? `Write only the text that belongs between these two:\n${aroundGap(gap)}` : (prompt ?? '')
  const said: Said[] = [
    ...(body.system ? [{ role: 'system', text: body.system } as const] : []),
    { role: 'user', text, ...imagesOf(body.images) },
  ]
  return toAsk({ ...common(body), said, ...defined({ gap }) }, caller)
}

function common({ model, stream, options, format, think, covey }: z.infer<typeof Common>) {
  const limit = options?.num_predict ?? 0
  const given = defined({
    activity: covey?.activity,
    stop: toStop(options?.stop),
    // Zero and below mean no limit there.
    maxTokens: limit > 0 ? limit : undefined,
    responseFormat: toFormat(format),
    thinking: think === false ? ('off' as const) : undefined,
  })
  return { model, isStream: stream !== false, ...given, ...toSampling(options ?? {}) }
}

function toFormat(format: z.infer<typeof Common>['format']): ResponseFormat | undefined {
  if (!format) return undefined
  return isObject(format) ? { type: 'json', schema: format } : { type: 'json' }
}

function toSaid(messages: readonly OllamaMessage[]): readonly Said[] {
  /** Calls of the last reply that have no result yet, in their order. */
  const open = new Map<string, ToolCall>()
  return messages.map((message, place) => {
    const { role } = message
    const text = message.content ?? ''
    if (role === 'system') return { role, text }
    if (role === 'user') return { role, text, ...imagesOf(message.images) }
    if (role === 'tool') return { role, callId: takeOpen(open, message.tool_name), text, ok: true }
    const calls = toCalls(message, place)
    open.clear()
    for (const call of calls) open.set(call.id, call)
    return { role, text, calls }
  })
}

const toCalls = ({ tool_calls }: OllamaMessage, place: number): readonly ToolCall[] =>
  (tool_calls ?? []).map(({ function: { name, arguments: input } }, index) => ({
    id: `call-${place}-${index}`,
    name,
    input: JSON.stringify(input ?? {}),
  }))

/** The first one, of this name where one is given. */
function takeOpen(open: Map<string, ToolCall>, name: string | null | undefined): string {
  const [first] = open.values()
  const found =
    first?.name === name ? first : ([...open.values()].find((call) => call.name === name) ?? first)
  open.delete(found?.id ?? '')
  return found?.id ?? ''
}

const imagesOf = (images: readonly string[] | null | undefined): { images?: readonly Image[] } =>
  images?.length ? { images: images.map((base64) => ({ mediaType: mediaTypeOf(base64), base64 })) } : {}

/** By the first bytes: this API sends none. */
function mediaTypeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg'
  if (base64.startsWith('R0lG')) return 'image/gif'
  return base64.startsWith('UklGR') ? 'image/webp' : 'image/png'
}
