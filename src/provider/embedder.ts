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
  const ask: AskVectors = async (input, signal) => {
    const answer = await client.post(wire.path, { model: settings.model, input }, signal)
    return requireVectors(wire.vectors(answer), input.length, settings)
  }
  return async (texts, signal) => {
    const vectors: (readonly number[])[] = []
    for (let at = 0; at < texts.length; at += BATCH) {
      vectors.push(...(await embedFitting(texts.slice(at, at + BATCH), ask, signal)))
    }
    return vectors
  }
}

type AskVectors = (input: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>

/** Shorter texts are refused for another reason than their length. */
const SHORTEST = 64

/** One long text has the whole list refused: it is found by halves and cut until it fits, so that the others get theirs. */
async function embedFitting(
  input: readonly string[],
  ask: AskVectors,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  try {
    return await ask(input, signal)
  } catch (error) {
    const [first = '', ...others] = input
    if (!isTooLong(error) || (others.length === 0 && first.length <= SHORTEST)) throw error
    if (others.length === 0) return embedFitting([firstHalf(first)], ask, signal)
    const middle = Math.ceil(input.length / 2)
    return [
      ...(await embedFitting(input.slice(0, middle), ask, signal)),
      ...(await embedFitting(input.slice(middle), ask, signal)),
    ]
  }
}

const isTooLong = (error: unknown): boolean => error instanceof AppError && error.code === 'context-overflow'

const firstHalf = (text: string): string =>
  text.slice(0, Math.ceil(text.length / 2)).replace(/[\uD800-\uDBFF]$/, '')

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
