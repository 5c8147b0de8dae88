/**
 * The chat template of a model, rendered by us. What a template accepts is found out once, by trying: the first form in
 * which a whole conversation comes out with nothing missing is used; a conversation that it refuses later falls through
 * to the next.
 */
import { Template } from '@huggingface/jinja'
import { families } from '../dialect/all.ts'
import type { Family } from '../dialect/family.ts'
import type { EmissionMode } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import type { ModelRequest, ToolSchema } from '../protocol/model.ts'
import { Protection } from './protection.ts'
import type { Segment } from './segment.ts'
import { type Form, renderText, type TemplateParts } from './template-text.ts'

export type ChatTemplate = {
  readonly emission: EmissionMode
  readonly family: Family
  /** `structural` matches what must not become a control token where it comes from outside. */
  render(request: ModelRequest, structural: RegExp): Segment[]
}

export type ChatTemplateSource = Omit<TemplateParts, 'template'> & {
  readonly text: string | undefined
  /** How the model writes calls, given what its template does with one. */
  dialect(implied: string | undefined): string
}

export function createChatTemplate({ text, dialect, ...tokens }: ChatTemplateSource): ChatTemplate {
  const own = text === undefined ? undefined : tryParse(text)
  const { parts, forms } = [...(own ? [own] : []), new Template(CHATML)]
    .map((template) => ({ parts: { template, ...tokens }, forms: formsOf({ template, ...tokens }) }))
    .find((candidate) => candidate.forms.length > 0) as { parts: TemplateParts; forms: [Form, ...Form[]] }
  const family = requireFamily(dialect(impliedDialect(parts, forms[0])))
  return {
    emission: { ...forms[0].emission, dialect: family.name },
    family,
    render(request, structural) {
      const { begun, messages } = splitBegun(request)
      return firstThatWorks(forms, (form) => {
        const protection = new Protection(structural)
        const prompt = renderText({ ...request, messages }, { ...parts, form, dialect: family }, protection)
        return protection.toSegments(prompt + protection.hide(begun))
      })
    },
  }
}

/** For models that bring no template, or one that cannot be rendered. */
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

const FLAGS = [false, true]

const NATIVE: readonly Form[] = FLAGS.flatMap((singly) =>
  FLAGS.flatMap((shortIds) =>
    FLAGS.map((textArguments) => ({
      emission: { base: 'tool-role' as const },
      toldTools: false,
      textArguments,
      shortIds,
      singly,
    })),
  ),
)

const written = (emission: Omit<EmissionMode, 'base'>): Form => ({
  emission: { base: 'user-results', ...emission },
  toldTools: true,
  textArguments: false,
  shortIds: false,
  singly: false,
})

/** The first that works is used. */
const FORMS: readonly Form[] = [
  ...NATIVE,
  written({}),
  written({ strict: true }),
  written({ strict: true, noSystem: true }),
]

const PROBE_CALLS = [1, 2].map((number) => ({
  id: `call-${number}`,
  name: 'probe_tool',
  input: `{"probe_key": "probe-value-${number}"}`,
}))
const PROBE_MESSAGES: readonly Message[] = [
  { role: 'user', text: 'probe-question' },
  { role: 'assistant', text: '', calls: PROBE_CALLS },
  { role: 'tool', callId: 'call-1', text: 'probe-result-1', ok: true },
  { role: 'tool', callId: 'call-2', text: 'probe-result-2', ok: true },
  { role: 'assistant', text: 'probe-answer', calls: [] },
  { role: 'user', text: 'probe-next' },
]
const PROBE_TOOL: ToolSchema = {
  name: 'probe_tool',
  description: 'probe-description',
  parameters: { type: 'object', properties: { probe_key: { type: 'string' } }, required: ['probe_key'] },
}
const PROBE_WORDS = [
  ...['probe-system', 'probe-description', 'probe-question', 'probe_tool', 'probe_key', 'probe-value-1'],
  ...['probe-value-2', 'probe-result-1', 'probe-result-2', 'probe-answer', 'probe-next'],
]

function formsOf(parts: TemplateParts): Form[] {
  return FORMS.filter((form) => {
    const text = probe(parts, form)
    return text !== undefined && PROBE_WORDS.every((word) => text.includes(word))
  })
}

function probe(parts: TemplateParts, form: Form): string | undefined {
  const request = { system: 'probe-system', messages: PROBE_MESSAGES, tools: [PROBE_TOOL] }
  try {
    return renderText(request, { ...parts, form, dialect: requireFamily('hermes') }, new Protection())
  } catch {
    return undefined
  }
}

/** The family whose way of writing a call is found in what the template makes of one. */
function impliedDialect(parts: TemplateParts, form: Form): string | undefined {
  if (form.toldTools) return undefined
  const text = probe(parts, form) ?? ''
  const writes = (change: (text: string) => string): Family | undefined =>
    families.find((family) => PROBE_CALLS.every((call) => change(text).includes(change(family.write(call)))))
  return (writes((same) => same) ?? writes(withoutSpace))?.name
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

function requireFamily(name: string): Family {
  const family = families.find((candidate) => candidate.name === name)
  if (!family) throw new AppError('config-invalid', `No dialect is called ${name}.`)
  return family
}

/** A reply to go on with is put behind the prompt as it is: a template would close it. */
function splitBegun({ messages, continueLast }: ModelRequest): { begun: string; messages: readonly Message[] } {
  const last = messages.at(-1)
  return continueLast && last?.role === 'assistant'
    ? { begun: last.text, messages: messages.slice(0, -1) }
    : { begun: '', messages }
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
