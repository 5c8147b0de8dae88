/** One conversation through a chat template, in one of the forms in which templates want it. */
import { emit } from '../context/emit.ts'
import { mergeNeighbours, type WireCall, type WireMessage } from '../context/wire.ts'
import { isObject } from '../lib/json.ts'
import type { RenderTemplate } from '../lib/template-process.ts'
import type { EmissionMode } from '../protocol/arm.ts'
import type { DialectWriter } from '../protocol/dialect.ts'
import type { ModelRequest, ToolSchema } from '../protocol/model.ts'
import type { Protection } from './protection.ts'

export type Form = {
  readonly emission: EmissionMode
  /** The template does not show tools: the system text tells of them. */
  readonly toldTools: boolean
  /** The template wants arguments as JSON text, not as an object. */
  readonly textArguments: boolean
  /** Mistral's templates refuse ids that are not nine letters and digits. */
  readonly shortIds: boolean
  /** Llama's show the first call of a message only: each then gets a message of its own. */
  readonly singly: boolean
  /** Users and assistants must take turns: neighbouring user messages become one. */
  readonly joined: boolean
}

export type TemplateParts = {
  readonly template: RenderTemplate
  /** The special tokens, for templates that write them. */
  readonly bos: string
  readonly eos: string
}

export type Rendering = TemplateParts & {
  readonly form: Form
  /** Writes calls and results where the template does not. */
  readonly writer: DialectWriter
  /** What the system text tells of tools. */
  readonly told: string
}

export type Rendered = Pick<ModelRequest, 'system' | 'messages' | 'tools'> & Partial<ModelRequest>

export async function renderText(
  request: Rendered,
  { template, bos, eos, form, writer, told }: Rendering,
  protection: Protection,
): Promise<string> {
  const system = [request.system, told].filter(Boolean).join('\n\n')
  const emitted = emit({ system, messages: request.messages }, form.emission, writer)
  const messages = form.joined ? mergeNeighbours(emitted, ['user']) : emitted
  const shaped = form.singly ? messages.flatMap((message) => splitCalls(message, messages)) : messages
  const shown = form.toldTools ? [] : request.tools.map(toTemplateTool)
  return template({
    messages: protection.hide(shaped.map((message) => toTemplateMessage(message, messages, form))),
    ...(shown.length > 0 && { tools: protection.hide(shown) }),
    add_generation_prompt: true,
    bos_token: bos,
    eos_token: eos,
    // Absent = the model's own way.
    ...(!mayThink(request) && { enable_thinking: false }),
  })
}

/** A reply that is constrained from its first token leaves no room for thinking. */
const mayThink = ({ thinking, toolChoice, responseFormat }: Rendered): boolean =>
  thinking !== 'off' &&
  (toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none') &&
  responseFormat?.type !== 'json'

const toTemplateTool = ({ name, description = '', parameters }: ToolSchema) => ({
  type: 'function',
  function: { name, description, parameters },
})

/** Each call in a message of its own, its result behind it. */
function splitCalls(message: WireMessage, all: readonly WireMessage[]): WireMessage[] {
  if (message.role === 'tool') return toolName(message.tool_call_id, all) === undefined ? [message] : []
  if (message.role !== 'assistant' || !message.tool_calls) return [message]
  return message.tool_calls.flatMap((call, index): WireMessage[] => [
    { ...message, content: index === 0 ? message.content : '', tool_calls: [call] },
    ...all.filter((other) => other.role === 'tool' && other.tool_call_id === call.id),
  ])
}

function toTemplateMessage(message: WireMessage, all: readonly WireMessage[], form: Form): object {
  if (message.role === 'tool') {
    const name = toolName(message.tool_call_id, all)
    return { ...message, tool_call_id: toId(message.tool_call_id, form), ...(name && { name }) }
  }
  if (message.role !== 'assistant' || !message.tool_calls) return message
  return { ...message, tool_calls: message.tool_calls.map((call) => toTemplateCall(call, form)) }
}

function toTemplateCall(call: WireCall, form: Form): object {
  const { name, arguments: text } = call.function
  const parsed: unknown = JSON.parse(text)
  const value = form.textArguments || !isObject(parsed) ? text : parsed
  return { id: toId(call.id, form), type: 'function', function: { name, arguments: value } }
}

const toolName = (id: string, messages: readonly WireMessage[]): string | undefined =>
  messages
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    .find((call) => call.id === id)?.function.name

/** The end of an id is where two of them differ. */
const toId = (id: string, { shortIds }: Form): string =>
  shortIds
    ? id
        .replaceAll(/[^A-Za-z0-9]/g, '')
        .slice(-9)
        .padStart(9, '0')
    : id
