/**
 * The chat template of a model, rendered by us. What a template accepts is found out once, by trying: the first form in
 * which a whole conversation comes out with nothing missing is used; a conversation it refuses later (two calls at once)
 * falls through to the next.
 */
import { Template } from '@huggingface/jinja'
import { emit } from '../context/emit.ts'
import type { WireCall, WireMessage } from '../context/wire.ts'
import { families } from '../dialect/all.ts'
import type { Family } from '../dialect/family.ts'
import { isObject } from '../lib/json.ts'
import type { EmissionMode } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import type { ModelRequest, ToolSchema } from '../protocol/model.ts'
import { Protection } from './protection.ts'
import type { Segment } from './segment.ts'

export type ChatTemplate = {
  readonly emission: EmissionMode
  readonly family: Family
  /** `structural` matches what must not become a control token where it comes from outside. */
  render(request: ModelRequest, structural: RegExp): Segment[]
}

export type ChatTemplateParts = {
  readonly template: string | undefined
  /** The names of the special tokens, for templates that write them. */
  readonly bos: string
  readonly eos: string
  /** How the model writes calls: what is configured, or guessed by its name. */
  dialect(implied: string | undefined): string
}

export function createChatTemplate(parts: ChatTemplateParts): ChatTemplate {
  const own = parts.template === undefined ? undefined : tryParse(parts.template)
  const template = own && formsOf(own, parts).length > 0 ? own : new Template(CHATML)
  const forms = formsOf(template, parts)
  const family = familyOf(parts.dialect(impliedDialect(template, parts, forms[0])))
  return {
    emission: { ...(forms[0] ?? PLAINEST).emission, dialect: family.name },
    family,
    render: (request, structural) =>
      firstThatWorks(forms, (form) => renderRequest(request, { template, parts, form, family, structural })),
  }
}

/** For models that bring no template, or one nobody can render. */
const CHATML = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

function tryParse(source: string): Template | undefined {
  try {
    return new Template(source)
  } catch {
    return undefined
  }
}

/** One way to hand a conversation to a template. */
type Form = {
  readonly emission: EmissionMode
  /** Whether the template shows the tools, or the system text does. */
  readonly tools: 'template' | 'system'
  readonly arguments: 'object' | 'text'
  /** Mistral's templates refuse ids that are not nine letters and digits. */
  readonly shortIds: boolean
}

const NATIVE: Form = {
  emission: { base: 'tool-role' },
  tools: 'template',
  arguments: 'object',
  shortIds: false,
}
const WRITTEN: Form = { ...NATIVE, emission: { base: 'user-results' }, tools: 'system' }
const PLAINEST: Form = { ...WRITTEN, emission: { base: 'user-results', strict: true, noSystem: true } }

const FORMS: readonly Form[] = [
  NATIVE,
  { ...NATIVE, shortIds: true },
  { ...NATIVE, arguments: 'text' },
  { ...NATIVE, arguments: 'text', shortIds: true },
  WRITTEN,
  { ...WRITTEN, emission: { base: 'user-results', strict: true } },
  PLAINEST,
]

const PROBE_CALL = { id: 'call-1', name: 'probe_tool', input: '{"probe_key": "probe-value"}' }
const PROBE_MESSAGES: readonly Message[] = [
  { role: 'user', text: 'probe-question' },
  { role: 'assistant', text: '', calls: [PROBE_CALL] },
  { role: 'tool', callId: 'call-1', text: 'probe-result', ok: true },
  { role: 'assistant', text: 'probe-answer', calls: [] },
  { role: 'user', text: 'probe-next' },
]
const PROBE_TOOL: ToolSchema = {
  name: 'probe_tool',
  description: 'probe-description',
  parameters: { type: 'object', properties: { probe_key: { type: 'string' } }, required: ['probe_key'] },
}
const PROBE_WORDS =
  'probe-system probe-question probe_tool probe_key probe-value probe-result probe-answer probe-next probe-description'

function formsOf(template: Template, parts: ChatTemplateParts): Form[] {
  return FORMS.filter((form) => {
    const text = probe(template, parts, form)
    return text !== undefined && PROBE_WORDS.split(' ').every((word) => text.includes(word))
  })
}

function probe(template: Template, parts: ChatTemplateParts, form: Form): string | undefined {
  const request = { system: 'probe-system', messages: PROBE_MESSAGES, tools: [PROBE_TOOL] }
  try {
    return toText(request, { template, parts, form, family: familyOf('hermes') })
  } catch {
    return undefined
  }
}

/** The family whose way of writing a call is found in what the template makes of one. */
function impliedDialect(
  template: Template,
  parts: ChatTemplateParts,
  form: Form | undefined,
): string | undefined {
  if (form?.tools !== 'template') return undefined
  const text = probe(template, parts, form) ?? ''
  const packed = withoutSpace(text)
  const exact = families.find((family) => text.includes(family.write(PROBE_CALL)))
  return (exact ?? families.find((family) => packed.includes(withoutSpace(family.write(PROBE_CALL)))))?.name
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

function familyOf(name: string): Family {
  const family = families.find((candidate) => candidate.name === name)
  if (!family) throw new AppError('config-invalid', `No dialect is called ${name}.`)
  return family
}

function firstThatWorks<T>(forms: readonly Form[], work: (form: Form) => T): T {
  let refusal: unknown
  for (const form of forms) {
    try {
      return work(form)
    } catch (error) {
      refusal = error
    }
  }
  throw new AppError(
    'request-invalid',
    `The model's chat template refuses this conversation: ${errorMessage(refusal)}`,
  )
}

type Rendering = {
  readonly template: Template
  readonly parts: ChatTemplateParts
  readonly form: Form
  readonly family: Family
}

function renderRequest(
  request: ModelRequest,
  { structural, ...rendering }: Rendering & { readonly structural: RegExp },
): Segment[] {
  const last = request.messages.at(-1)
  const begun = request.continueLast && last?.role === 'assistant' ? last.text : ''
  const messages = begun === '' ? request.messages : request.messages.slice(0, -1)
  const protection = new Protection(structural)
  const text = toText({ ...request, messages }, rendering, protection)
  return protection.toSegments(text + protection.hide(begun))
}

type Rendered = Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'toolChoice' | 'thinking'>

function toText(
  request: Rendered,
  { template, parts, form, family }: Rendering,
  protection = new Protection(),
): string {
  const tools = request.toolChoice === 'none' ? [] : request.tools
  const told = tools.length > 0 && form.tools === 'system' ? [request.system, family.show(tools)] : [request.system]
  const system = told.filter(Boolean).join('\n\n')
  const messages = emit({ system, messages: request.messages }, form.emission, family)
  const shown = form.tools === 'template' ? tools.map(toTemplateTool) : []
  return template.render({
    messages: protection.hide(messages.map((message) => toTemplateMessage(message, messages, form))),
    ...(shown.length > 0 && { tools: protection.hide(shown) }),
    add_generation_prompt: true,
    bos_token: parts.bos,
    eos_token: parts.eos,
    // Absent = the model's own way.
    ...(request.thinking === 'off' && { enable_thinking: false }),
  })
}

const toTemplateTool = ({ name, description = '', parameters }: ToolSchema) => ({
  type: 'function',
  function: { name, description, parameters },
})

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
  const value = form.arguments === 'text' || !isObject(parsed) ? text : parsed
  return { id: toId(call.id, form), type: 'function', function: { name, arguments: value } }
}

const toolName = (id: string, messages: readonly WireMessage[]): string | undefined =>
  messages
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    .find((call) => call.id === id)?.function.name

/** The end of an id is where two of them differ. */
const toId = (id: string, { shortIds }: Form): string =>
  shortIds ? id.replaceAll(/[^A-Za-z0-9]/g, '').slice(-9).padStart(9, '0') : id
