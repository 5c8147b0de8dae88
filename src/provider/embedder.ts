/** Texts as vectors, from any server with an OpenAI-compatible `/v1/embeddings`, or from Ollama by its own API. */
import { z } from 'zod'
import type { ArmSettings } from '../protocol/arm.ts'
import type { Embedder } from '../protocol/embedder.ts'
import { AppError } from '../protocol/error.ts'
import type { ServerKind } from './probe/findings.ts'
import { createServerClient, type ServerAddress } from './server-client.ts'

/** Servers refuse longer lists, or run out of memory on them. */
const BATCH = 64

export type EmbedderSettings = ServerAddress & Pick<ArmSettings, 'model'> & { readonly server?: ServerKind }

type Wire = {
  readonly path: string
  vectors(answer: unknown): readonly (readonly number[])[] | undefined
}

export function createEmbedder(settings: EmbedderSettings): Embedder {
  const client = createServerClient(settings)
  const wire = settings.server === 'ollama' ? ollama : openai
  return async (texts, signal) => {
    const vectors: (readonly number[])[] = []
    for (let at = 0; at < texts.length; at += BATCH) {
      const input = texts.slice(at, at + BATCH)
      const answer = await client.post(wire.path, { model: settings.model, input }, signal)
      vectors.push(...requireVectors(wire.vectors(answer), input.length, settings))
    }
    return vectors
  }
}

const vector = z.array(z.number()).min(1)
const OllamaAnswer = z.object({ embeddings: z.array(vector) })
const OpenAiAnswer = z.object({ data: z.array(z.object({ index: z.int(), embedding: vector })) })

const ollama: Wire = {
  path: '/api/embed',
  vectors: (answer) => OllamaAnswer.safeParse(answer).data?.embeddings,
}

/** The answer may come in any order. */
const openai: Wire = {
  path: '/v1/embeddings',
  vectors: (answer) =>
    OpenAiAnswer.safeParse(answer)
      .data?.data.toSorted((a, b) => a.index - b.index)
      .map(({ embedding }) => embedding),
}

function requireVectors(
  vectors: readonly (readonly number[])[] | undefined,
  count: number,
  { id, model }: EmbedderSettings,
): readonly (readonly number[])[] {
  const isWhole = vectors?.length === count && vectors.every(({ length }) => length === vectors[0]?.length)
  if (vectors && isWhole) return vectors
  throw new AppError(
    'model-unavailable',
    `${id}: the server gave no vectors for ${model}. Choose a model that makes embeddings.`,
  )
}
