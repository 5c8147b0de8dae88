/** Emitted messages in the form the AI SDK takes. Only the form changes: what is said and in which order stays. */
import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import type { WireMessage, WirePart } from '../context/emit.ts'

type WireCall = NonNullable<WireMessage['tool_calls']>[number]

export function toPrompt(
  messages: readonly WireMessage[],
  wireId: (id: string) => string,
): LanguageModelV3Prompt {
  const names = new Map(
    messages.flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call.function.name])),
  )
  const prompt: LanguageModelV3Message[] = []
  for (const message of messages) {
    const previous = prompt.at(-1)
    if (message.role !== 'tool') {
      prompt.push(toMessage(message, wireId))
      continue
    }
    const id = message.tool_call_id ?? ''
    const result = toResult(message, wireId(id), names.get(id) ?? 'unknown')
    // Gemini wants the results of one reply together.
    if (previous?.role === 'tool') previous.content.push(result)
    else prompt.push({ role: 'tool', content: [result] })
  }
  return prompt
}

function toMessage(message: WireMessage, wireId: (id: string) => string): LanguageModelV3Message {
  if (message.role === 'system') return { role: 'system', content: textOf(message.content) }
  if (message.role === 'user') return { role: 'user', content: toParts(message.content) }
  const text = textOf(message.content)
  return {
    role: 'assistant',
    content: [
      ...(message.reasoning_content
        ? [{ type: 'reasoning' as const, text: message.reasoning_content }]
        : []),
      ...(text !== '' || !message.tool_calls?.length ? [{ type: 'text' as const, text }] : []),
      ...(message.tool_calls ?? []).map((call) => toCall(call, wireId)),
    ],
  }
}

/**
 * The SDK writes arguments out again from the parsed value; the option puts the very bytes back, so that what the model
 * wrote and what it is shown stay one prefix.
 */
function toCall(call: WireCall, wireId: (id: string) => string): LanguageModelV3ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: wireId(call.id),
    toolName: call.function.name,
    input: JSON.parse(call.function.arguments) as unknown,
    providerOptions: { openaiCompatible: { function: call.function } },
  }
}

const toResult = (
  message: WireMessage,
  toolCallId: string,
  toolName: string,
): LanguageModelV3ToolResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: { type: 'text', value: textOf(message.content) },
})

const textOf = (content: WireMessage['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('')

const toParts = (
  content: WireMessage['content'],
): (LanguageModelV3TextPart | LanguageModelV3FilePart)[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toPart)

function toPart(part: WirePart): LanguageModelV3TextPart | LanguageModelV3FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { url } = part.image_url
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url)
  return inline
    ? { type: 'file', mediaType: inline[1] ?? 'image/*', data: inline[2] ?? '' }
    : { type: 'file', mediaType: 'image/*', data: new URL(url) }
}
