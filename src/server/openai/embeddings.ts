/**
 * `POST /v1/embeddings`, and Ollama's two routes for the same. Numbers come as base64 of little-endian float32 where
 * asked for, as openai-node always does.
 */
import { z } from 'zod'
import type { ApiParts } from '../api/ask.ts'
import { unsupported } from '../api/wire.ts'
import { defineProblem, ProblemError } from '../http/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'

const EmbeddingsRequest = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), z.array(z.unknown()).min(1).max(2048)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().positive().nullish(),
})
type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>

export const EmbeddingsReply = z.strictObject({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: z.int(),
      embedding: z.union([z.string(), z.array(z.number())]),
    }),
  ),
  usage: z.strictObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

export const embeddingsRoutes = (parts: ApiParts): readonly Route[] => [
  openAiRoute(parts),
  ollamaRoute(parts),
  oldOllamaRoute(parts),
]

const openAiRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/embeddings',
    scope: 'chat',
    summary: 'Texts as vectors, where a model here can do that.',
    body: EmbeddingsRequest,
    reply: EmbeddingsReply,

    async handle({ body, signal }) {
      const { model, vectors, tokens } = await embed(parts, body, signal)
      const encode = body.encoding_format === 'base64' ? toBase64 : (vector: readonly number[]) => vector
      const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }))
      const usage = { prompt_tokens: tokens, total_tokens: tokens }
      return { kind: 'json', body: { object: 'list', model, data, usage } }
    },
  })

const OllamaEmbed = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.unknown()).min(1).max(2048)]),
  dimensions: z.int().positive().nullish(),
})

export const OllamaEmbedReply = z.strictObject({
  model: z.string(),
  embeddings: z.array(z.array(z.number())),
  total_duration: z.int(),
  load_duration: z.int(),
  prompt_eval_count: z.int(),
})

const NANOSECONDS = 1_000_000

const ollamaRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/embed',
    scope: 'chat',
    summary: 'Texts as vectors, as Ollama gives them.',
    body: OllamaEmbed,
    reply: OllamaEmbedReply,
    errors: 'ollama',

    async handle({ body, signal }) {
      const startedAt = parts.now()
      const { vectors, tokens } = await embed(parts, withoutTag(body), signal)
      const took = Math.round((parts.now() - startedAt) * NANOSECONDS)
      const counts = { total_duration: took, load_duration: 0, prompt_eval_count: tokens }
      return { kind: 'json', body: { model: body.model, embeddings: vectors, ...counts } }
    },
  })

const OldOllamaEmbed = z.looseObject({ model: z.string(), prompt: z.string() })

const oldOllamaRoute = (parts: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/api/embeddings',
    scope: 'chat',
    summary: 'One text as a vector, as Ollama gave it before /api/embed.',
    body: OldOllamaEmbed,
    reply: z.strictObject({ embedding: z.array(z.number()) }),
    errors: 'ollama',

    async handle({ body, signal }) {
      const { model, prompt } = body
      const { vectors } = await embed(parts, withoutTag({ model, input: prompt }), signal)
      return { kind: 'json', body: { embedding: vectors[0] ?? [] } }
    },
  })

/** Ollama's clients put `:latest` behind a name without a tag. */
const withoutTag = <Body extends { readonly model: string }>(body: Body): Body => ({
  ...body,
  model: body.model.replace(/:latest$/, ''),
})

type Embedded = {
  readonly model: string
  readonly vectors: readonly (readonly number[])[]
  readonly tokens: number
}

async function embed({ models }: ApiParts, wish: EmbeddingsRequest, signal: AbortSignal): Promise<Embedded> {
  const texts = toTexts(wish)
  const able = models.list().flatMap(({ id, embeddings }) => (embeddings ? [id] : []))
  const model = wish.model ?? able[0]
  if (!models.embed || model === undefined || !able.includes(model)) throw noEmbeddings(model, able)
  const vectors = await models.embed(model, texts, signal)
  requireDimensions(wish, vectors[0]?.length)
  // Embedders count no tokens; four characters per token is close enough for a count without a price.
  const tokens = texts.reduce((total, text) => total + Math.ceil(text.length / 4), 0)
  return { model, vectors, tokens }
}

function toTexts({ input }: EmbeddingsRequest): readonly string[] {
  const texts = typeof input === 'string' ? [input] : input
  if (texts.every((text) => typeof text === 'string' && text !== '')) return texts as readonly string[]
  throw unsupported('input', 'send texts that are not empty; tokens cannot be read here')
}

function noEmbeddings(model: string | undefined, able: readonly string[]): ProblemError {
  const there = able.length > 0 ? `Models that can: ${able.join(', ')}.` : 'No model here can.'
  const message = `${model ?? 'The default model'} gives no embeddings. ${there}`
  return new ProblemError(defineProblem(404, 'model_not_found', message, { param: 'model' }))
}

function requireDimensions({ dimensions }: EmbeddingsRequest, length: number | undefined): void {
  if (!dimensions || dimensions === length) return
  throw unsupported('dimensions', `vectors of this model have ${length ?? 0} numbers and are not shortened`)
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4)
  return bytes.toString('base64')
}
