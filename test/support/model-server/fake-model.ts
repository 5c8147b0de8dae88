/**
 * A model and the half of a server that is the same everywhere: the template is rendered, the prompt counted, cut or
 * refused, the cached prefix found. What is wrong with real servers is an option of this one.
 */
import { Template } from '@huggingface/jinja'
import { obey, writeCalls, type Saying } from './obedient.ts'
import { templates, type TemplateName } from './templates.ts'
import { tokenize } from './tokenizer.ts'

export type FakeQuirks = {
  readonly model?: string
  readonly template?: TemplateName
  /** Calls stay in the text. */
  readonly textCalls?: boolean
  /** A llama.cpp that says nothing about its template and does not render it on request. */
  readonly olderBuild?: boolean
  /** Requests with tools are refused. */
  readonly noTools?: boolean
  /** Only the first call of a reply is made. */
  readonly oneCall?: boolean
  readonly ignoresRequired?: boolean
  readonly ignoresSchema?: boolean
  readonly ignoresGrammar?: boolean
  readonly refusesGrammar?: boolean
  /** Schemas with `pattern` are refused. */
  readonly noPatterns?: boolean
  /** System messages are dropped without a word. */
  readonly dropsSystem?: boolean
  readonly window?: number
  readonly largestWindow?: number
  readonly slots?: number
  readonly vision?: boolean
  readonly embeddings?: boolean
  /** The longest text that is embedded, in tokens: llama.cpp's physical batch. */
  readonly embeddingBatch?: number
  /** The first requests are answered with 503. */
  readonly loadingRequests?: number
  /** The delay before every first token. */
  readonly prefillMs?: number
}

export type ChatMessage = {
  readonly role: string
  readonly content?: unknown
  readonly [key: string]: unknown
}

export type FakeRequest = {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly FakeTool[] | undefined
  readonly required?: boolean
  readonly schema?: Record<string, unknown> | undefined
}

type FakeTool = { readonly function: { readonly name: string; readonly parameters: Record<string, unknown> } }

/** What a server answers instead of a reply. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Generated = Saying & {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
}

export type FakeModel = {
  readonly quirks: FakeQuirks
  readonly template: string
  /** Throws a Refusal for a conversation the server does not take. */
  render(request: FakeRequest): number[]
  renderText(request: FakeRequest): string
  generate(
    prompt: readonly number[],
    more?: Omit<FakeRequest, 'messages'> & { readonly slot?: number },
  ): Generated
  /** The reply as a server that finds no calls leaves it. */
  asText(generated: Saying): string
}

export function createFakeModel(quirks: FakeQuirks): FakeModel {
  const text = templates[quirks.template ?? 'chatml']
  const template = new Template(text)
  const caches = new Map<number, readonly number[]>()
  const renderText = ({ messages, tools }: FakeRequest): string => {
    refuseTools(tools ?? [], quirks)
    refuseImages(messages, quirks)
    const shown = quirks.dropsSystem ? messages.filter(({ role }) => role !== 'system') : messages
    return renderWith(template, shown, tools)
  }
  return {
    quirks,
    template: text,
    renderText,
    render: (request) => tokenize(renderText(request), true),
    generate(prompt, { tools = [], required, schema, slot = 0 } = {}) {
      const cached = commonStart(caches.get(slot) ?? [], prompt)
      caches.set(slot, prompt)
      const [first] = tools
      const saying = obey({
        prompt,
        ...(required && !quirks.ignoresRequired && first && { required: first.function }),
        ...(schema && !quirks.ignoresSchema && { schema }),
      })
      const calls = quirks.oneCall ? saying.calls.slice(0, 1) : saying.calls
      const completion = tokenize(saying.text + writeCalls(calls), true).length
      return { text: saying.text, calls, prompt: prompt.length, cached, completion }
    },
    asText: (generated) => [generated.text, writeCalls(generated.calls)].filter(Boolean).join('\n'),
  }
}

function refuseTools(
  tools: readonly FakeTool[],
  { noTools, noPatterns, model = 'test-model' }: FakeQuirks,
): void {
  if (tools.length > 0 && noTools) throw new Refusal(400, `${model} does not support tools`)
  if (noPatterns && JSON.stringify(tools).includes('"pattern":"')) {
    throw new Refusal(400, 'failed to parse grammar: Pattern must start with ^ and end with $')
  }
}

function refuseImages(messages: readonly ChatMessage[], { vision }: FakeQuirks): void {
  const hasImage = messages.some(
    ({ content, ...rest }) => JSON.stringify(content)?.includes('"image_url"') || 'images' in rest,
  )
  if (hasImage && !vision) throw new Refusal(400, 'image input is not supported by this model')
}

function renderWith(
  template: Template,
  messages: readonly ChatMessage[],
  tools: readonly FakeTool[] = [],
): string {
  try {
    return template.render({
      messages: messages.map(toTemplateMessage),
      ...(tools.length > 0 && { tools }),
      add_generation_prompt: true,
      bos_token: '',
      eos_token: '<|im_end|>',
    })
  } catch (error) {
    throw new Refusal(400, (error as Error).message)
  }
}

type WireCall = { readonly function: { readonly name: string; readonly arguments: unknown } }

function toTemplateMessage({ role, content, tool_calls: calls }: ChatMessage): object {
  const text = typeof content === 'string' ? content : textIn(content)
  if (!Array.isArray(calls)) return { role, content: text }
  const parsed = (calls as WireCall[]).map(({ function: { name, arguments: given } }) => ({
    function: { name, arguments: typeof given === 'string' ? (JSON.parse(given) as unknown) : given },
  }))
  return { role, content: text, tool_calls: parsed }
}

const textIn = (content: unknown): string =>
  Array.isArray(content) ? content.flatMap((part: { text?: string }) => part.text ?? []).join('\n') : ''

function commonStart(one: readonly number[], other: readonly number[]): number {
  let index = 0
  while (index < one.length && index < other.length && one[index] === other[index]) index++
  return Math.min(index, Math.max(0, other.length - 1))
}

/** A text as a vector: the same for the same, close for the similar. */
export function embed(text: string): number[] {
  const vector = Array.from({ length: 16 }, () => 0)
  for (const char of text) vector[(char.codePointAt(0) ?? 0) % 16]! += 1
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
