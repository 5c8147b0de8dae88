/**
 * A fake Ollama. It loads a model with the window a request names, or with its small default, and cuts longer prompts at
 * the front without a word: half the window stays. A request by OpenAI's API names no window and loads the default.
 */
import {
  createFakeModel,
  embed,
  Refusal,
  type ChatMessage,
  type FakeModel,
  type FakeQuirks,
  type FakeRequest,
  type Generated,
} from './fake-model.ts'
import { listen, type Answer, type Body, type FakeServer } from './listen.ts'
import { openAiRoutes } from './openai-routes.ts'
import { tokenize } from './tokenizer.ts'

const DEFAULT_WINDOW = 4_096

export type OllamaQuirks = FakeQuirks & {
  /** The window it was loaded with before anybody came; absent = it is not loaded. */
  readonly loaded?: number
  /** Larger windows do not fit in memory. */
  readonly largestLoad?: number
}

export type FakeOllama = FakeServer & {
  /** The window the model is loaded with now. */
  loaded(): number | undefined
}

export async function startOllama(quirks: OllamaQuirks = {}): Promise<FakeOllama> {
  const model = createFakeModel(quirks)
  const name = `${quirks.model ?? 'test-model'}:latest`
  let loaded = quirks.loaded
  const load = (window: number): number => {
    if (window > (quirks.largestLoad ?? Number.POSITIVE_INFINITY)) {
      throw new Refusal(500, 'model requires more system memory than is available')
    }
    loaded = window
    return window
  }
  const windowIn = (body: Body): number =>
    load(Number((body['options'] as { num_ctx?: number } | undefined)?.num_ctx ?? DEFAULT_WINDOW))

  const openAi = openAiRoutes(createFakeModel({ ...quirks, window: Number.POSITIVE_INFINITY }))
  const throughDefault = Object.fromEntries(
    Object.entries(openAi).map(([path, route]) => [
      path,
      (body: Body) => (load(DEFAULT_WINDOW), route(body)),
    ]),
  )
  const server = await listen({
    quirks,
    errorBody: ({ message }) => ({ error: message }),
    routes: {
      ...throughDefault,
      'GET /api/version': () => ({ json: { version: '0.17.1' } }),
      'GET /v1/models': () => ({
        json: { object: 'list', data: [{ id: name, object: 'model', created: 1, owned_by: 'library' }] },
      }),
      'GET /api/tags': () => ({ json: { models: [{ name, digest: 'sha256:0123', size: 600 }] } }),
      'GET /api/ps': () => ({
        json: {
          models: loaded === undefined ? [] : [{ name, digest: 'sha256:0123', context_length: loaded }],
        },
      }),
      'POST /api/show': () => ({ json: show(quirks) }),
      'POST /api/chat': (body) => chat(model, body, windowIn(body)),
      'POST /api/generate': (body) => generate(model, body, windowIn(body)),
      'POST /api/embed': ({ input }) => {
        if (!quirks.embeddings) throw new Refusal(501, 'this model does not support embeddings')
        return { json: { embeddings: (input as string[]).map(embed) } }
      },
    },
  })
  return { ...server, loaded: () => loaded }
}

const show = ({ noTools, vision, embeddings, largestWindow = 32_768 }: FakeQuirks): object => ({
  template: '{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>{{ end }}',
  details: { family: 'qwen2', quantization_level: 'Q4_K_M' },
  model_info: { 'general.architecture': 'qwen2', 'qwen2.context_length': largestWindow },
  capabilities: [
    'completion',
    ...(noTools ? [] : ['tools']),
    ...(vision ? ['vision'] : []),
    ...(embeddings ? ['embedding'] : []),
  ],
})

function chat(model: FakeModel, body: Body, window: number): Answer {
  const request: FakeRequest = {
    messages: body['messages'] as readonly ChatMessage[],
    tools: body['tools'] as FakeRequest['tools'],
    schema: typeof body['format'] === 'object' ? (body['format'] as Record<string, unknown>) : undefined,
  }
  const generated = model.generate(cut(model.render(request), window), request)
  const isNative = request.tools !== undefined && !model.quirks.textCalls
  const text = isNative ? generated.text : model.asText(generated)
  const calls = isNative ? generated.calls.map((call) => ({ function: call })) : []
  const message = (more: object) => ({ message: { role: 'assistant', content: '', ...more }, done: false })
  return {
    as: 'ndjson',
    lines: [
      ...pieces(text).map((content) => message({ content })),
      ...(calls.length > 0 ? [message({ tool_calls: calls })] : []),
      { ...message({}), ...ending(generated) },
    ],
  }
}

function generate(model: FakeModel, body: Body, window: number): Answer {
  const { prompt, raw } = body
  if (typeof prompt !== 'string') return { json: { response: '', done: true, done_reason: 'load' } }
  if (raw !== true) throw new Refusal(400, 'the fake takes raw prompts only')
  const generated = model.generate(cut(tokenize(prompt, true), window))
  return {
    as: 'ndjson',
    lines: [
      ...pieces(model.asText(generated)).map((response) => ({ response, done: false })),
      { response: '', ...ending(generated) },
    ],
  }
}

/** Half of the window stays, the newest half. */
const cut = (prompt: readonly number[], window: number): readonly number[] =>
  prompt.length <= window ? prompt : prompt.slice(-Math.floor(window / 2))

/** The whole prompt is counted, and only what was not in the cache took time. */
const ending = ({ prompt, cached, completion }: Generated): object => ({
  done: true,
  done_reason: 'stop',
  prompt_eval_count: prompt,
  prompt_eval_duration: 2_000_000 * (prompt - cached),
  eval_count: completion,
  eval_duration: 25_000_000 * completion,
})

const pieces = (text: string): string[] => text.match(/[\s\S]{1,12}/g) ?? []
