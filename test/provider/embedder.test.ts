/** Texts as vectors, from OpenAI-compatible servers and from Ollama. */
import { expect, test } from 'vitest'
import { createEmbedder } from '../../src/provider/embedder.ts'
import { embed } from '../support/model-server/fake-model.ts'
import { startLlamaCpp } from '../support/model-server/llama-cpp.ts'
import { startOllama } from '../support/model-server/ollama.ts'
import { startVllm } from '../support/model-server/vllm.ts'
import { settingsFor } from './probing.ts'

const signal = new AbortController().signal

test('vectors come in the order of the texts, whatever order the server answers in', async () => {
  const server = await startVllm({ embeddings: true })
  const texts = ['heron', 'crane', 'a sheep']

  const vectors = await createEmbedder(settingsFor(server.url))(texts, signal)

  expect(vectors).toEqual(texts.map(embed))
})

test('Ollama is asked by its own API', async () => {
  const server = await startOllama({ embeddings: true })

  const vectors = await createEmbedder({ ...settingsFor(server.url), server: 'ollama' })(['heron'], signal)

  expect(vectors).toEqual([embed('heron')])
  expect(server.sent('/api/embed')).toEqual([{ model: 'test-model', input: ['heron'] }])
})

test('many texts go in several requests, none in none', async () => {
  const server = await startVllm({ embeddings: true })
  const embedder = createEmbedder(settingsFor(server.url))
  const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`)

  const vectors = await embedder(texts, signal)

  expect(vectors).toHaveLength(150)
  expect(server.sent('/v1/embeddings').map(({ input }) => (input as string[]).length)).toEqual([64, 64, 22])
  expect(await embedder([], signal)).toEqual([])
})

test('a model that makes no vectors is an error that says so', async () => {
  const server = await startVllm()

  const failure = createEmbedder(settingsFor(server.url))(['heron'], signal)

  await expect(failure).rejects.toMatchObject({
    code: 'request-invalid',
    message: expect.stringContaining('does not support embeddings'),
  })
})

test('a text the server finds too long is cut, and costs the others nothing', async () => {
  const server = await startLlamaCpp({ embeddings: true, embeddingBatch: 100 })
  const long = 'word '.repeat(300)

  const vectors = await createEmbedder(settingsFor(server.url))(['heron', long, 'crane'], signal)

  expect(vectors).toEqual([embed('heron'), embed(long.slice(0, 375)), embed('crane')])
})

test('a refusal that is not about length is not tried again', async () => {
  const server = await startVllm()

  await expect(createEmbedder(settingsFor(server.url))(['heron', 'crane'], signal)).rejects.toMatchObject({
    code: 'request-invalid',
  })

  expect(server.sent('/v1/embeddings')).toHaveLength(1)
})
