/**
 * The chat template of a model, rendered by us. What a template accepts is found out once, by trying: the first form in
 * which a whole conversation comes out with nothing missing is used; a conversation that it refuses later falls through
 * to the next.
 */
import { Template } from '@huggingface/jinja'
import { families, requireFamily } from '../dialect/all.ts'
import type { Family } from '../dialect/families/family.ts'
import { toolInstructions } from '../dialect/instructions.ts'
import { deriveDialect } from '../dialect/template/derive.ts'
import { openTemplate, type RenderTemplate } from '../lib/template-process.ts'
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
  render(request: ModelRequest, structural: RegExp): Promise<Segment[]>
}

export type ChatTemplateSource = {
  readonly text: string | undefined
  /** The special tokens, for templates that write them. */
  readonly bos: string
  readonly eos: string
  /** How the model writes calls, whatever its template says. */
  readonly dialect?: string
  /** The same where the template says nothing. */
  readonly guess: string
  /** For a model whose template does not show tools: the text of `prompts/tools.md`. */
  readonly instructions: string
}

export async function createChatTemplate(source: ChatTemplateSource): Promise<ChatTemplate> {
  const own = source.text === undefined ? undefined : await tryOpen(openTemplate(source.text), source)
  const { parts, form } = own ?? (await requireOpen(chatml, source))
  const family = await familyOf(source, form)
  // One that was made from the template has no name of its own to write by.
  const writer = families.includes(family) ? family : requireFamily(source.guess)
  return {
    emission: { ...form.emission, dialect: family.name },
    family,
    async render(request, structural) {
      const { begun, messages } = splitBegun(request)
      return inFirstForm(form, parts, async (usable) => {
        const protection = new Protection(structural)
        const told = usable.toldTools ? tellTools(request.tools, writer, source) : ''
        const rendering = { ...parts, form: usable, writer, told }
        const prompt = await renderText({ ...request, messages }, rendering, protection)
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

/** Our own, so that it needs no process. */
const chatml: RenderTemplate = async (input) => new Template(CHATML).render({ ...input })

type Opened = { readonly parts: TemplateParts; readonly form: Form }

async function tryOpen(
  template: RenderTemplate,
  { bos, eos }: ChatTemplateSource,
): Promise<Opened | undefined> {
  const parts = { template, bos, eos }
  for (const form of FORMS) if (await works(form, parts)) return { parts, form }
  return undefined
}

async function requireOpen(template: RenderTemplate, source: ChatTemplateSource): Promise<Opened> {
  const opened = await tryOpen(template, source)
  if (!opened) throw new Error('The built-in chat template does not work.')
  return opened
}

const FLAGS = [false, true]

const native: readonly Form[] = FLAGS.flatMap((joined) =>
  FLAGS.flatMap((singly) =>
    FLAGS.flatMap((shortIds) =>
      FLAGS.map((textArguments) => ({
        emission: { base: 'tool-role' as const },
        toldTools: false,
        textArguments,
        shortIds,
        singly,
        joined,
      })),
    ),
  ),
)

const written = (emission: Omit<EmissionMode, 'base'>): Form => ({
  emission: { base: 'user-results', ...emission },
  toldTools: true,
  textArguments: false,
  shortIds: false,
  singly: false,
  joined: false,
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
  'probe-system probe-description probe-question probe_tool probe_key probe-value-1 probe-value-2',
  'probe-result-1 probe-result-2 probe-answer probe-next probe-last',
].flatMap((line) => line.split(' '))

/** Whether a conversation comes out of the template with nothing missing. */
async function works(form: Form, parts: TemplateParts): Promise<boolean> {
  const request = { system: 'probe-system', messages: PROBE_MESSAGES, tools: [PROBE_TOOL] }
  const rendering = { ...parts, form, writer: requireFamily('hermes'), told: 'probe-description' }
  try {
    const text = await renderText(request, rendering, new Protection())
    return PROBE_WORDS.every((word) => text.includes(word))
  } catch {
    return false
  }
}

async function familyOf(
  { text = '', dialect, guess }: ChatTemplateSource,
  { toldTools }: Form,
): Promise<Family> {
  if (dialect !== undefined) return requireFamily(dialect)
  const derived = toldTools ? undefined : await deriveDialect(text)
  if (!derived) return requireFamily(guess)
  return derived.known === undefined ? derived.family : requireFamily(derived.known)
}

const tellTools = (
  tools: readonly ToolSchema[],
  { name }: Family,
  { instructions }: ChatTemplateSource,
): string => (tools.length === 0 ? '' : toolInstructions(instructions, tools, name))

/** A reply to go on with is put behind the prompt as it is: a template would close it. */
function splitBegun({ messages, continueLast }: ModelRequest): {
  begun: string
  messages: readonly Message[]
} {
  const last = messages.at(-1)
  return continueLast && last?.role === 'assistant'
    ? { begun: last.text, messages: messages.slice(0, -1) }
    : { begun: '', messages }
}

/** The usual form, and where the template refuses this conversation in it, the next that works at all. */
async function inFirstForm<T>(
  usual: Form,
  parts: TemplateParts,
  work: (form: Form) => Promise<T>,
): Promise<T> {
  let refusal: unknown
  for (const form of FORMS.slice(FORMS.indexOf(usual))) {
    if (form !== usual && !(await works(form, parts))) continue
    try {
      return await work(form)
    } catch (error) {
      // No form of the conversation makes a template quicker or smaller.
      if (error instanceof AppError && error.code === 'model-unavailable') throw error
      refusal = error
    }
  }
  throw new AppError(
    'request-invalid',
    `The model's chat template refuses this conversation: ${errorMessage(refusal)}`,
  )
}
