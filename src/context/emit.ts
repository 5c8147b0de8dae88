/**
 * One conversation in the shape an arm accepts. Any legal history can be emitted in any mode; no text is lost. A
 * history that only grew at its end is emitted as the old messages and more, so that the server's cached prefix stays
 * good.
 */
import type { EmissionMode } from '../protocol/arm.ts'
import type { DialectWriter } from '../protocol/dialect.ts'
import type {
  AssistantMessage,
  Image,
  Message,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '../protocol/message.ts'
import { isObject, readJson } from '../lib/json.ts'
import { toGroups } from './history.ts'
import { joinContent, mergeNeighbours, type WireCall, type WireMessage, type WirePart } from './wire.ts'

export type EmitInput = { readonly system?: string; readonly messages: readonly Message[] }

export type EmitOptions = {
  /** Whether the model is shown what it thought before. */
  readonly reasoning: 'keep' | 'drop'
  readonly vision: boolean
}

export function emit(
  input: EmitInput,
  mode: EmissionMode,
  writer: DialectWriter = hermes,
  options: EmitOptions = { reasoning: 'drop', vision: false },
): WireMessage[] {
  const body = bodyOf(input.messages, mode, { writer, options })
  const isFirstOnly = mode.strict || mode.noSystem
  const all = withSystem(input.system ?? '', isFirstOnly ? body.map(systemToUser) : body, mode)
  return mode.strict ? alternate(all) : all
}

/** A collapsed conversation teaches the model to write results itself; generation must end where one would begin. */
export const emissionStops = ({ base }: EmissionMode): readonly string[] =>
  base === 'collapsed' ? [RESULT_MARK] : []

/** The wrapping most small models know, for arms whose own dialect is not known. */
const hermes: DialectWriter = {
  name: 'hermes',
  write: (call) =>
    `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsOf(call)}}\n</tool_call>`,
  result: ({ text }) => `<tool_response>\n${text}\n</tool_response>`,
}

/**
 * Always the text of a JSON object, because servers parse it to render their template: what a model wrote wrongly must
 * not make every later request fail.
 */
function argumentsOf({ input }: ToolCall): string {
  if (input.trim() === '') return '{}'
  try {
    if (isObject(JSON.parse(input))) return input
  } catch {
    // Falls through: repaired, or left out. The result says what was wrong with it, and a model repeats what it is
    // shown.
  }
  const reading = readJson(input)
  return reading.ok && isObject(reading.value) ? JSON.stringify(reading.value) : '{}'
}

type How = { readonly writer: DialectWriter; readonly options: EmitOptions }

/** Programs that import `emit` may hand in what `Message` does not know: system text in the middle. */
type LateSystem = { readonly role: 'system'; readonly text: string }
type Incoming = Message | LateSystem

function bodyOf(messages: readonly Incoming[], mode: EmissionMode, how: How): WireMessage[] {
  if (mode.base === 'collapsed') {
    return mergeNeighbours(
      toGroups(messages).flatMap((group) => collapse(group, how)),
      ['assistant'],
    )
  }
  // Where roles must alternate there is no role for results.
  if (mode.base === 'tool-role' && !mode.strict) return messages.map((message) => toNative(message, how))
  const names = toolNames(messages)
  return toGroups(messages).flatMap((group) => writeOut(group, names, how))
}

function toNative(message: Incoming, how: How): WireMessage {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text }
  if (message.role !== 'assistant') return toPlain(message, how)
  const calls = callsOf(message).map(toWireCall)
  return { ...toReply(message, message.text, how), ...(calls.length > 0 && { tool_calls: calls }) }
}

const toWireCall = (call: ToolCall): WireCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: argumentsOf(call) },
})

/** Calls as text in the assistant message, the results of one turn together in a user message. */
function writeOut(
  group: readonly Incoming[],
  names: ReadonlyMap<string, string>,
  how: How,
): readonly WireMessage[] {
  const head = group.filter(({ role }) => role !== 'tool').map((message) => toWritten(message, how))
  const own = toolNames(group)
  const results = resultsIn(group).map(({ callId, text, ok = true }) =>
    how.writer.result({ name: own.get(callId) ?? names.get(callId) ?? 'tool', callId, text, ok }),
  )
  return results.length === 0 ? head : [...head, { role: 'user', content: results.join('\n') }]
}

function toWritten(message: Incoming, how: How): WireMessage {
  if (message.role !== 'assistant') return toNative(message, how)
  const calls = callsOf(message).map((call) => how.writer.write(call))
  return toReply(message, [message.text, ...calls].filter(Boolean).join('\n'), how)
}

const toolNames = (messages: readonly Incoming[]): ReadonlyMap<string, string> =>
  new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? callsOf(message).map(({ id, name }) => [id, name] as const) : [],
    ),
  )

const RESULT_MARK = '[result]'

/** A reply, its calls and their results as one assistant text. A result without its call goes to the end. */
function collapse(group: readonly Incoming[], how: How): WireMessage[] {
  const [head] = group
  const results = resultsIn(group)
  const calls = head?.role === 'assistant' ? callsOf(head) : []
  const told = calls.map((call) => toCollapsed(call, results))
  const orphans = results
    .filter(({ callId }) => !calls.some(({ id }) => id === callId))
    .map(({ text }) => `${RESULT_MARK}\n${text}`)
  const text = [...told, ...orphans].join('\n\n')
  if (head?.role === 'assistant') return [toReply(head, [head.text, text].filter(Boolean).join('\n\n'), how)]
  const plain = head && head.role !== 'tool' ? [toPlain(head, how)] : []
  return text === '' ? plain : [...plain, { role: 'assistant', content: text }]
}

function toCollapsed({ id, name, input }: ToolCall, results: readonly ToolMessage[]): string {
  const result = results.find(({ callId }) => callId === id)
  return [`[tool: ${name}]`, input, ...(result ? [RESULT_MARK, result.text] : [])].join('\n')
}

const resultsIn = (group: readonly Incoming[]): ToolMessage[] =>
  group.filter((message) => message.role === 'tool')

/** Messages of other programs may lack `calls`. */
const callsOf = (message: AssistantMessage): readonly ToolCall[] => message.calls ?? []

const toReply = ({ reasoning }: AssistantMessage, content: string, { options }: How) => ({
  role: 'assistant' as const,
  content,
  ...(options.reasoning === 'keep' && reasoning && { reasoning_content: reasoning }),
})

const toPlain = (message: UserMessage | LateSystem, { options }: How): WireMessage =>
  message.role === 'user'
    ? { role: 'user', content: userContent(message, options.vision) }
    : { role: 'system', content: message.text }

function userContent({ text, images = [] }: UserMessage, vision: boolean): string | readonly WirePart[] {
  if (images.length === 0) return text
  if (!vision) return text || images.map(({ path }) => `[Image: ${path ?? 'not shown'}]`).join('\n')
  return [...(text ? [{ type: 'text' as const, text }] : []), ...images.map(toImagePart)]
}

const toImagePart = ({ mediaType, base64 }: Image): WirePart => ({
  type: 'image_url',
  image_url: { url: `data:${mediaType};base64,${base64}` },
})

/** Late system text joins the next user message where only the first may be one. */
const systemToUser = (message: WireMessage): WireMessage =>
  message.role === 'system' ? { role: 'user', content: message.content } : message

function withSystem(system: string, body: readonly WireMessage[], mode: EmissionMode): WireMessage[] {
  if (system === '') return [...body]
  if (!mode.noSystem) return [{ role: 'system', content: system }, ...body]
  const [first, ...rest] = body
  if (first?.role !== 'user') return [{ role: 'user', content: system }, ...body]
  return [{ role: 'user', content: joinContent(system, first.content) }, ...rest]
}

function alternate(messages: readonly WireMessage[]): WireMessage[] {
  const at = messages[0]?.role === 'system' ? 1 : 0
  const start: WireMessage[] =
    messages[at]?.role === 'assistant' ? [{ role: 'user', content: '(start)' }] : []
  return mergeNeighbours([...messages.slice(0, at), ...start, ...messages.slice(at)], ['user', 'assistant'])
}
