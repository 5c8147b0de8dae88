/** `POST /v1/messages`: Anthropic's request, and what it means here. Unknown fields and Anthropic's own tools are ignored. */
import { z } from 'zod'
import { defined } from '../../lib/object.ts'
import type { ToolChoice } from '../../protocol/model.ts'
import { type Ask, type Caller, toAsk, toTool } from '../api/ask.ts'
import { Extension, toStop } from '../openai/chat-request.ts'
import type { Said } from '../api/conversation.ts'
import { samplingFields, toSampling } from '../api/sampling.ts'
import { Content, JsonObject, Schema, toContent } from '../api/wire.ts'

const InputMessage = z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content })
type InputMessage = z.infer<typeof InputMessage>

/** Tools that run at Anthropic have a type and no schema. */
const InputTool = z.looseObject({
  type: z.string().nullish(),
  name: z.string(),
  description: z.string().nullish(),
  input_schema: Schema.optional(),
})

const InputChoice = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: z.string().optional(),
  disable_parallel_tool_use: z.boolean().nullish(),
})

export const CountRequest = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(InputMessage).min(1),
  system: Content.nullish(),
  tools: z.array(InputTool).nullish(),
  tool_choice: InputChoice.nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
})
type CountRequest = z.infer<typeof CountRequest>

export const MessagesRequest = CountRequest.extend({
  max_tokens: z.int().positive(),
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: samplingFields.temperature,
  top_p: samplingFields.top_p,
  covey: Extension.nullish(),
})
export type MessagesRequest = z.infer<typeof MessagesRequest>

export function fromMessages(body: CountRequest & Partial<MessagesRequest>, caller: Caller): Ask {
  const system = toContent(body.system, 'system').text
  return toAsk(
    {
      model: body.model,
      said: [
        ...(system ? [{ role: 'system', text: system } as const] : []),
        ...body.messages.flatMap(toSaid),
      ],
      isStream: body.stream ?? false,
      parallelCalls: !body.tool_choice?.disable_parallel_tool_use,
      ...defined({
        activity: body.covey?.activity,
        tools: body.tools?.flatMap((tool) =>
          tool.input_schema ? [toTool({ ...tool, parameters: tool.input_schema })] : [],
        ),
        toolChoice: toChoice(body.tool_choice),
        maxTokens: body.max_tokens,
        stop: toStop(body.stop_sequences),
        thinking: body.thinking?.type === 'disabled' ? ('off' as const) : undefined,
      }),
      ...toSampling({ temperature: body.temperature, top_p: body.top_p }),
    },
    caller,
  )
}

const ToolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: JsonObject,
})
const ToolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: Content.nullish(),
  is_error: z.boolean().nullish(),
})

/** One message may hold results, words and images at once; results come first, as they must. */
function toSaid({ role, content }: InputMessage, index: number): readonly Said[] {
  const param = `messages[${index}].content`
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const results = blocks.flatMap((block) =>
    block.type === 'tool_result' ? [toResult(ToolResult.parse(block), param)] : [],
  )
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [toCall(ToolUse.parse(block))] : []))
  const rest = blocks.filter(({ type }) => type !== 'tool_result' && type !== 'tool_use')
  const { text, images } = toContent(rest, param)
  if (role === 'system') return [{ role, text }]
  if (role === 'assistant') return [{ role, text, calls }]
  const user = { role, text, ...(images.length > 0 && { images }) }
  return text === '' && images.length === 0 ? results : [...results, user]
}

const toCall = ({ id, name, input }: z.infer<typeof ToolUse>) => ({ id, name, input: JSON.stringify(input) })

const toResult = ({ tool_use_id, content, is_error }: z.infer<typeof ToolResult>, param: string) => ({
  role: 'tool' as const,
  callId: tool_use_id,
  text: toContent(content, param).text,
  ok: !is_error,
})

function toChoice(choice: CountRequest['tool_choice']): ToolChoice | undefined {
  if (!choice) return undefined
  if (choice.type === 'tool') return choice.name === undefined ? 'required' : { name: choice.name }
  return choice.type === 'any' ? 'required' : choice.type
}
