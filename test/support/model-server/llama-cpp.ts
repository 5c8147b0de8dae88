/** A fake llama.cpp server: `/props`, `/slots`, `/tokenize`, `/completion` with grammar and slots, and OpenAI's API. */
import { accepts, parseGbnf } from '../gbnf.ts'
import { createFakeModel, Refusal, type ChatMessage, type FakeModel, type FakeQuirks } from './fake-model.ts'
import { listen, openAiError, type Answer, type Body, type FakeServer } from './listen.ts'
import { openAiRoutes, refuseOverflow } from './openai-routes.ts'
import { tokenize } from './tokenizer.ts'

export function startLlamaCpp(quirks: FakeQuirks = {}): Promise<FakeServer> {
  const model = createFakeModel(quirks)
  const { window = 8_192, slots = 1, vision = false } = quirks
  return listen({
    quirks,
    errorBody: openAiError,
    routes: {
      ...openAiRoutes(model),
      'GET /props': () => ({
        json: {
          default_generation_settings: { n_ctx: window, params: {} },
          total_slots: slots,
          model_path: '/models/test-model.gguf',
          chat_template: model.template,
          bos_token: '',
          eos_token: '<|im_end|>',
          build_info: 'b8200-fake',
          modalities: { vision, video: false, audio: false },
          model_alias: '/models/test-model.gguf',
          is_sleeping: false,
          // Builds of before 2026 do not say it.
          ...(!quirks.olderBuild && { chat_template_caps: { supports_tools: showsTools(model) } }),
        },
      }),
      'GET /slots': () => ({
        json: Array.from({ length: slots }, (_, id) => ({ id, n_ctx: window, is_processing: false })),
      }),
      'GET /v1/models': () => ({
        json: {
          object: 'list',
          data: [
            {
              // Without --alias it is the path it was started with.
              id: '/models/test-model.gguf',
              object: 'model',
              created: 1,
              owned_by: 'llamacpp',
              meta: {
                n_ctx: window,
                n_ctx_train: quirks.largestWindow ?? 32_768,
                n_params: 1_000,
                size: 600,
              },
            },
          ],
        },
      }),
      ...(!quirks.olderBuild && {
        'POST /apply-template': ({ messages }: Body) => ({
          json: { prompt: model.renderText({ messages: messages as readonly ChatMessage[] }) },
        }),
      }),
      'POST /tokenize': ({ content, parse_special: special }) => ({
        json: { tokens: tokenize(String(content), special !== false) },
      }),
      'POST /completion': (body) => complete(model, body),
    },
  })
}

/** What llama.cpp finds out by rendering the template with tools. */
const showsTools = ({ template }: FakeModel): boolean => template.includes('tools')

function complete(model: FakeModel, body: Body): Answer {
  const prompt = toTokens(body['prompt'])
  refuseOverflow(prompt.length, model)
  const slot = Number(body['id_slot'] ?? -1)
  const generated = model.generate(prompt, { slot })
  const text = constrained(model.asText(generated), body['grammar'], model)
  const last = {
    content: '',
    stop: true,
    stop_type: 'eos',
    id_slot: slot,
    tokens_evaluated: generated.prompt,
    tokens_predicted: generated.completion,
    timings: {
      cache_n: generated.cached,
      prompt_n: generated.prompt - generated.cached,
      prompt_per_second: 500,
      predicted_per_second: 40,
    },
  }
  if (body['stream'] !== true) return { json: { ...last, content: text } }
  const pieces = text.match(/[\s\S]{1,12}/g) ?? []
  return { as: 'sse', lines: [...pieces.map((content) => ({ content, stop: false })), last] }
}

/** Text is tokenised with its control tokens, numbers are tokens as they are. */
const toTokens = (prompt: unknown): number[] =>
  (Array.isArray(prompt) ? prompt : [prompt]).flatMap((piece: string | number) =>
    typeof piece === 'number' ? [piece] : tokenize(piece, true),
  )

/** Said as it is where the grammar allows it; else the shortest thing the tests' grammars allow. */
function constrained(text: string, grammar: unknown, { quirks }: FakeModel): string {
  if (typeof grammar !== 'string' || quirks.ignoresGrammar) return text
  if (quirks.refusesGrammar) throw new Refusal(400, 'Failed to initialize samplers: failed to parse grammar')
  const rules = parseGbnf(grammar)
  return accepts(rules, text) ? text : (['heron-1', CALL].find((other) => accepts(rules, other)) ?? text)
}

const CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'
