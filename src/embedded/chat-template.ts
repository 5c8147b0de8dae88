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
  const { parts, first } = openTemplate(own, tokens) ?? requireOpen(new Template(CHATML), tokens)
  const family = requireFamily(dialect(impliedDialect(parts, first)))
  return {
    emission: { ...first.emission, dialect: family.name },
    family,
    render(request, structural) {
      const { begun, messages } = splitBegun(request)
      return inFirstForm(parts, first, (form) => {
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

type Opened = { readonly parts: TemplateParts; readonly first: Form }

function openTemplate(template: Template | undefined, tokens: Omit<TemplateParts, 'template'>): Opened | undefined {
  if (!template) return undefined
  const parts = { template, ...tokens }
  const first = FORMS.find((form) => isWhole(probe(parts, form)))
  return first && { parts, first }
}

function requireOpen(template: Template, tokens: Omit<TemplateParts, 'template'>): Opened {
  const opened = openTemplate(template, tokens)
  if (!opened) throw new Error('The built-in chat template does not work.')
  return opened
}

const PLAIN: Omit<Form, 'emission' | 'toldTools'> = {
  textArguments: false,
  shortIds: false,
  singly: false,
  joined: false,
}
const FLAGS = [false, true]

const native: readonly Form[] = FLAGS.flatMap((joined) =>
  FLAGS.flatMap((singly) =>
    FLAGS.flatMap((shortIds) =>
      FLAGS.map((textArguments) => ({
        emission: { base: 'tool-role' as const },
        toldTools: false,
        ...{ textArguments, shortIds, singly, joined },
      })),
    ),
  ),
)

const written = (emission: Omit<EmissionMode, 'base'>): Form => ({
  ...PLAIN,
  emission: { base: 'user-results', ...emission },
  toldTools: true,
})

/** The first that works is used. */
const FORMS: readonly Form[] = [
  ...native,
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
  { role: 'user', text: 'probe-last' },
]
const PROBE_TOOL: ToolSchema = {
  name: 'probe_tool',
  description: 'probe-description',
  parameters: { type: 'object', properties: { probe_key: { type: 'string' } }, required: ['probe_key'] },
}
const PROBE_WORDS = [
  ...['probe-system', 'probe-description', 'probe-question', 'probe_tool', 'probe_key', 'probe-value-1'],
  ...['probe-value-2', 'probe-result-1', 'probe-result-2', 'probe-answer', 'probe-next', 'probe-last'],
]

const isWhole = (text: string | undefined): boolean =>
  text !== undefined && PROBE_WORDS.every((word) => text.includes(word))

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

/** The usual form, and where the template refuses this conversation in it, the next that works at all. */
function inFirstForm<T>(parts: TemplateParts, first: Form, work: (form: Form) => T): T {
  let refusal: unknown
  for (const form of FORMS.slice(FORMS.indexOf(first))) {
    if (refusal !== undefined && !isWhole(probe(parts, form))) continue
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
