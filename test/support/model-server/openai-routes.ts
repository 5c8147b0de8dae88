/** What every OpenAI-compatible server has: chat, completions, embeddings. */
import {
  embed,
  Refusal,
  type ChatMessage,
  type FakeModel,
  type FakeRequest,
  type Generated,
} from './fake-model.ts'
import type { Answer, Body, Routes } from './listen.ts'
import type { ServerReply } from './reply.ts'
import { tokenize } from './tokenizer.ts'

export function openAiRoutes(model: FakeModel): Routes {
  return {
    'POST /v1/chat/completions': (body) => {
      const request = fromChat(body, model)
      const prompt = model.render(request)
      refuseOverflow(prompt.length, model)
      return { completion: toReply(model, body, model.generate(prompt, request)) }
    },
    'POST /v1/completions': (body) => {
      const prompt = tokenize(String(body['prompt']), true)
      refuseOverflow(prompt.length, model)
      return toTextCompletion(model, model.generate(prompt))
    },
    'POST /v1/embeddings': (body) => ({ json: toEmbeddings(model, body) }),
  }
}

function fromChat(body: Body, { template }: FakeModel): FakeRequest {
  const showsTools = template.includes('tools')
  const format = body['response_format'] as { json_schema?: { schema?: Record<string, unknown> } } | undefined
  return {
    messages: body['messages'] as readonly ChatMessage[],
    tools: body['tools'] as FakeRequest['tools'],
    // A server drops the choice together with the tools.
    required: body['tool_choice'] === 'required' && showsTools,
    schema: format?.json_schema?.schema,
  }
}

function toReply(model: FakeModel, body: Body, generated: Generated): ServerReply {
  const usage = { prompt: generated.prompt, completion: generated.completion, cached: generated.cached }
  const hasTools = Array.isArray(body['tools'])
  if (generated.calls.length === 0) return { text: generated.text, usage }
  if (model.quirks.textCalls || !hasTools || !model.template.includes('tools'))
    return { text: model.asText(generated), usage }
  return { text: generated.text, calls: generated.calls, usage }
}

/** Both halves of the end come on their own, as in vLLM. */
function toTextCompletion(model: FakeModel, generated: Generated): Answer {
  const pieces = model.asText(generated).match(/[\s\S]{1,12}/g) ?? []
  const base = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'test-model' }
  const choice = (text: string, finish_reason: string | null) => ({
    ...base,
    choices: [{ index: 0, text, finish_reason }],
  })
  const usage = {
    prompt_tokens: generated.prompt,
    completion_tokens: generated.completion,
    total_tokens: generated.prompt + generated.completion,
    prompt_tokens_details: { cached_tokens: generated.cached },
  }
  return {
    as: 'sse',
    lines: [
      ...pieces.map((piece) => choice(piece, null)),
      choice('', 'stop'),
      { ...base, choices: [], usage },
    ],
  }
}

function toEmbeddings({ quirks }: FakeModel, { input, model }: Body): object {
  if (!quirks.embeddings) throw new Refusal(400, 'This model does not support embeddings')
  const longest = Math.max(...(input as string[]).map((text) => tokenize(text, false).length))
  if (longest > (quirks.embeddingBatch ?? Number.POSITIVE_INFINITY)) {
    const why = 'increase the physical batch size (current batch size: ' + quirks.embeddingBatch + ')'
    throw new Refusal(500, `input (${longest} tokens) is too large to process. ${why}`)
  }
  const data = (input as string[]).map((text, index) => ({
    object: 'embedding',
    index,
    embedding: embed(text),
  }))
  return { object: 'list', model, data: data.toReversed(), usage: { prompt_tokens: 1, total_tokens: 1 } }
}

export function refuseOverflow(tokens: number, { quirks }: FakeModel): void {
  const window = quirks.window ?? 8_192
  if (tokens < window) return
  throw new Refusal(
    400,
    `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
  )
}
