/** Emitted messages in the form the AI SDK takes. Only the form changes: what is said and in which order stays. */
import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider'
import type { WireCall, WireMessage, WirePart } from '../context/wire.ts'

type Assistant = Extract<WireMessage, { readonly role: 'assistant' }>
type Result = Extract<WireMessage, { readonly role: 'tool' }>
type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart

export function toPrompt(
  messages: readonly WireMessage[],
  wireId: (id: string) => string,
): LanguageModelV3Prompt {
  const names = toolNames(messages)
  const prompt: LanguageModelV3Message[] = []
  for (const message of messages) {
    const previous = prompt.at(-1)
    if (message.role === 'system') prompt.push({ role: 'system', content: message.content })
    else if (message.role === 'user') prompt.push({ role: 'user', content: toParts(message.content) })
    else if (message.role === 'assistant') prompt.push(toAssistant(message, wireId))
    // Gemini wants the results of one reply together.
    else if (previous?.role === 'tool') previous.content.push(toResult(message, names, wireId))
    else prompt.push({ role: 'tool', content: [toResult(message, names, wireId)] })
  }
  return prompt
}

const toolNames = (messages: readonly WireMessage[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.tool_calls ?? []).map((call) => [call.id, call.function.name] as const)
        : [],
    ),
  )

function toAssistant(message: Assistant, wireId: (id: string) => string): LanguageModelV3Message {
  const { content: text, reasoning_content: reasoning, tool_calls: calls = [] } = message
  return {
    role: 'assistant',
    content: [
      ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
      ...(text || calls.length === 0 ? [{ type: 'text' as const, text }] : []),
      ...calls.map((call) => toCall(call, wireId)),
    ],
  }
}

const toCall = (call: WireCall, wireId: (id: string) => string): LanguageModelV3ToolCallPart => ({
  type: 'tool-call',
  toolCallId: wireId(call.id),
  toolName: call.function.name,
  input: JSON.parse(call.function.arguments) as unknown,
})

const toResult = (
  message: Result,
  names: ReadonlyMap<string, string>,
  wireId: (id: string) => string,
): LanguageModelV3ToolResultPart => ({
  type: 'tool-result',
  toolCallId: wireId(message.tool_call_id),
  toolName: names.get(message.tool_call_id) ?? 'unknown',
  output: { type: 'text', value: message.content },
})

const toParts = (content: string | readonly WirePart[]): UserPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toPart)

function toPart(part: WirePart): UserPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { url } = part.image_url
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url)
  return inline
    ? { type: 'file', mediaType: inline[1] ?? 'image/*', data: inline[2] ?? '' }
    : { type: 'file', mediaType: 'image/*', data: new URL(url) }
}
