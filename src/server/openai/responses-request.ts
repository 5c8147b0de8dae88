/**
 * `POST /v1/responses`: items instead of messages, and what they mean here. Items and tools of kinds that only run at
 * OpenAI are ignored; a custom (free-form) tool is shown to the model as a tool with one text.
 */
import { z } from 'zod'
import { readJson, isObject } from '../../lib/json.ts'
import { defined } from '../../lib/object.ts'
import type { AssistantMessage, ToolCall } from '../../protocol/message.ts'
import type { ResponseFormat, ToolChoice, ToolSchema } from '../../protocol/model.ts'
import { type Ask, type Caller, toAsk, toTool } from '../api/ask.ts'
import { Extension } from './chat-request.ts'
import type { Said } from '../api/conversation.ts'
import { MOST_ALTERNATIVES } from './logprobs.ts'
import { samplingFields, toSampling } from '../api/sampling.ts'
import { Content, JsonObject, Schema, toContent } from '../api/wire.ts'

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: Content.nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.string().optional(),
  output: Content.nullish(),
})
type Item = z.infer<typeof Item>

const ResponseTool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: Schema.nullish(),
  format: z.looseObject({ type: z.string(), definition: z.string().optional() }).nullish(),
})
type ResponseTool = z.infer<typeof ResponseTool>

const Choice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.string(), name: z.string().optional(), mode: z.string().optional() }),
])

const Format = z.looseObject({ type: z.string(), name: z.string().optional(), schema: Schema.optional() })

export const ResponsesRequest = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  tools: z.array(ResponseTool).nullish(),
  tool_choice: Choice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  ...samplingFields,
  include: z.array(z.string()).nullish(),
  top_logprobs: z.int().min(0).max(MOST_ALTERNATIVES).nullish(),
  text: z.looseObject({ format: Format.nullish() }).nullish(),
  metadata: JsonObject.nullish(),
  covey: Extension.nullish(),
})
export type ResponsesRequest = z.infer<typeof ResponsesRequest>

export function fromResponses(body: ResponsesRequest, earlier: readonly Said[], caller: Caller): Ask {
  const instructions = body.instructions ? [{ role: 'system', text: body.instructions } as const] : []
  return toAsk(
    {
      model: body.model,
      said: [...instructions, ...earlier, ...toSaid(body)],
      isStream: body.stream ?? false,
      parallelCalls: body.parallel_tool_calls ?? true,
      ...defined({
        activity: body.covey?.activity,
        tools: body.tools?.flatMap(toSchema),
        toolChoice: toChoice(body.tool_choice),
        responseFormat: toFormat(body.text?.format),
        maxTokens: body.max_output_tokens ?? undefined,
        logprobs: body.include?.includes(WITH_LOGPROBS) ? (body.top_logprobs ?? 0) : undefined,
      }),
      ...toSampling(body),
    },
    caller,
  )
}

const WITH_LOGPROBS = 'message.output_text.logprobs'

/** The items of a request as messages: calls that stand together are one reply. */
export function toSaid({ input }: ResponsesRequest): readonly Said[] {
  if (typeof input === 'string') return [{ role: 'user', text: input }]
  const said: Part[] = []
  for (const next of input.flatMap(itemToPart)) {
    const last = said.at(-1)
    const isSameReply = last?.role === 'assistant' && next.role === 'assistant' && next.text === ''
    if (isSameReply) last.calls.push(...next.calls)
    else said.push(next)
  }
  return said
}

/** What was said, with replies that calls can still join in place: a stranger may send a hundred thousand in a row. */
type Part = Exclude<Said, AssistantMessage> | (AssistantMessage & { readonly calls: ToolCall[] })

function itemToPart(item: Item, index: number): readonly Part[] {
  const param = `input[${index}]`
  const { type = 'message', call_id: id = '', name = '' } = item
  if (type === 'message') return [messageOf(item, param)]
  if (type === 'function_call') return [replyOf({ id, name, input: item.arguments ?? '' })]
  if (type === 'custom_tool_call')
    return [replyOf({ id, name, input: JSON.stringify({ input: item.input ?? '' }) })]
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', callId: id, text: toContent(item.output, `${param}.output`).text, ok: true }]
  return []
}

function messageOf({ role, content }: Item, param: string): Part {
  const { text, images } = toContent(content, `${param}.content`)
  if (role === 'assistant') return { role, text, calls: [] }
  if (role === 'system' || role === 'developer') return { role: 'system', text }
  return { role: 'user', text, ...(images.length > 0 && { images }) }
}

const replyOf = (call: ToolCall): Part => ({ role: 'assistant', text: '', calls: [call] })

function toSchema(tool: ResponseTool): readonly ToolSchema[] {
  if (!tool.name) return []
  if (tool.type === 'function') return [toTool({ ...tool, name: tool.name })]
  if (tool.type !== 'custom') return []
  const grammar = tool.format?.definition
    ? `\nThe input must follow this grammar:\n${tool.format.definition}`
    : ''
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
  return [toTool({ name: tool.name, description: `${tool.description ?? ''}${grammar}`, parameters })]
}

export const customNames = (tools: ResponsesRequest['tools']): ReadonlySet<string> =>
  new Set(tools?.flatMap(({ type, name }) => (type === 'custom' && name ? [name] : [])))

/** The free text of a call to a custom tool, however the model wrapped it. */
export function customInput(input: string): string {
  const reading = readJson(input)
  const inner = reading.ok && isObject(reading.value) ? reading.value['input'] : undefined
  return typeof inner === 'string' ? inner : input
}

function toChoice(choice: ResponsesRequest['tool_choice']): ToolChoice | undefined {
  if (!choice || typeof choice === 'string') return choice ?? undefined
  if (choice.name !== undefined) return { name: choice.name }
  return choice.mode === 'required' ? 'required' : 'auto'
}

function toFormat(format: z.infer<typeof Format> | null | undefined): ResponseFormat | undefined {
  if (!format || !format.type.startsWith('json')) return undefined
  return {
    type: 'json',
    ...(format.name && { name: format.name }),
    ...defined({ schema: format.schema }),
  }
}
