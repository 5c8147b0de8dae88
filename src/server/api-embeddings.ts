/** `POST /v1/embeddings`: numbers as base64 of little-endian float32 where asked for, as openai-node always does. */
import { z } from 'zod'
import type { ApiParts } from './api-ask.ts'
import { unsupported } from './api-wire.ts'
import { defineProblem, ProblemError } from './errors.ts'
import { defineRoute, type Route } from './route.ts'

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

export const embeddingsRoute = ({ models }: ApiParts): Route =>
  defineRoute({
    method: 'POST',
    path: '/v1/embeddings',
    scope: 'chat',
    summary: 'Texts as vectors, where a model here can do that.',
    body: EmbeddingsRequest,
    reply: EmbeddingsReply,

    async handle({ body, signal }) {
      const texts = toTexts(body)
      const able = models.list().filter(({ embeddings }) => embeddings)
      const model = body.model ?? able[0]?.id
      if (!models.embed || !able.some(({ id }) => id === model))
        throw noEmbeddings(
          model,
          able.map(({ id }) => id),
        )
      const vectors = await models.embed(model ?? '', texts, signal)
      requireDimensions(body, vectors[0]?.length)
      // Whoever embeds counts no tokens; four characters to one is near enough for a bill nobody pays.
      const tokens = texts.reduce((total, text) => total + Math.ceil(text.length / 4), 0)
      const encode = body.encoding_format === 'base64' ? toBase64 : (vector: readonly number[]) => vector
      const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }))
      const usage = { prompt_tokens: tokens, total_tokens: tokens }
      return { kind: 'json', body: { object: 'list', model, data, usage } }
    },
  })

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
