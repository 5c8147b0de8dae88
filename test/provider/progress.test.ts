/** What a server tells before the first word: how far it has read the prompt, that it loads its model. */
import { expect, test } from 'vitest'
import type { ModelEvent } from '../../src/protocol/model.ts'
import { isLoadedByOllama, withLoadingSigns } from '../../src/provider/loading-model.ts'
import { readPromptProgress } from '../../src/provider/prompt-progress.ts'
import { rawWireFor } from '../../src/provider/raw/wire.ts'
import { says, scriptedModel } from '../../src/provider/scripted.ts'
import { createServerClient } from '../../src/provider/server-client.ts'
import { listen, openAiError } from '../support/model-server/listen.ts'
import { startOllama } from '../support/model-server/ollama.ts'
import { ask, modelAt, request } from './ask.ts'
import { settingsFor } from './probing.ts'

const reading = (done: number, cached?: number): ModelEvent => ({
  type: 'progress',
  stage: 'reading',
  total: 900,
  done,
  ...(cached !== undefined && { cached }),
})

test('llama.cpp is asked for its progress and reports it, in a chat', async () => {
  const at = (processed: number) => ({
    choices: [{ index: 0, delta: { role: 'assistant', content: null } }],
    prompt_progress: { total: 900, cache: 200, processed, time_ms: 40 },
  })
  const said = { choices: [{ index: 0, delta: { content: 'Hello.' } }] }
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const server = await listen({
    quirks: {},
    errorBody: openAiError,
    routes: {
      'POST /v1/chat/completions': () => ({ as: 'sse', lines: [at(200), at(500), at(900), said, end] }),
    },
  })

  const events = await ask(modelAt(server.url, { tellsProgress: true }))

  expect(server.sent('/v1/chat/completions')).toMatchObject([{ return_progress: true }])
  expect(events.filter(({ type }) => type !== 'finish')).toEqual([
    reading(200, 200),
    reading(500, 200),
    reading(900, 200),
    { type: 'text-delta', text: 'Hello.' },
  ])
})

test('another server is sent no field it may refuse', async () => {
  const server = await startOllama()

  await ask(modelAt(server.url))

  expect(server.sent('/v1/chat/completions').at(-1)).not.toHaveProperty('return_progress')
})

test('a prompt of our own is followed as well', () => {
  const wire = rawWireFor('llama.cpp')
  const endpoint = { arm: 'a', url: 'http://127.0.0.1', local: true, secrets: [] }
  const prompt_progress = { total: 900, cache: 0, processed: 300, time_ms: 9 }

  expect(wire.parts({ content: '', stop: false, prompt_progress }, endpoint)).toEqual([reading(300)])
})

test.each([
  null,
  'x',
  {},
  { total: 5, processed: 9 },
  { total: -1, processed: -1 },
  { total: 1.5, processed: 1 },
])('progress that cannot be is not told: %j', (value) => {
  expect(readPromptProgress(value)).toEqual([])
})

/** Answers when it is let. */
function waiting() {
  let answer = (): void => {}
  const allowed = new Promise<void>((resolve) => (answer = resolve))
  const model = scriptedModel(async () => {
    await allowed
    return [says('Hello.')]
  })
  return { model, answer }
}

test('a server that loads its model silently is seen to', async () => {
  const { model, answer } = waiting()
  const states = [false, false, true]
  const isLoaded = async () => {
    if (states.length === 1) setImmediate(answer)
    return states.shift() ?? true
  }

  const events = await ask(withLoadingSigns(model, { isLoaded, patienceMs: 5, pollMs: 5 }))

  expect(events.filter(({ type }) => type !== 'finish')).toEqual([
    { type: 'progress', stage: 'loading', total: 1 },
    { type: 'progress', stage: 'reading', total: 0 },
    { type: 'text-delta', text: 'Hello.' },
  ])
})

test('one that does not say is asked once, and nothing is reported', async () => {
  const { model, answer } = waiting()
  let asked = 0
  const isLoaded = async () => {
    asked++
    setImmediate(answer)
    return undefined
  }

  const events = await ask(withLoadingSigns(model, { isLoaded, patienceMs: 5, pollMs: 5 }))

  expect(asked).toBe(1)
  expect(events.map(({ type }) => type)).toEqual(['text-delta', 'finish'])
})

test('one that answers at once is not asked', async () => {
  const isLoaded = () => Promise.reject(new Error('asked'))

  const events = await ask(
    withLoadingSigns(scriptedModel([says('Hello.')]), { isLoaded, patienceMs: 60_000 }),
  )

  expect(events.map(({ type }) => type)).toEqual(['text-delta', 'finish'])
})

test('a reader that leaves early ends the reply', async () => {
  const { model, answer } = waiting()
  const stop = new AbortController()
  const loading = withLoadingSigns(model, { isLoaded: async () => false, patienceMs: 1, pollMs: 1 })

  for await (const event of loading.stream(request(), stop.signal)) {
    expect(event).toEqual({ type: 'progress', stage: 'loading', total: 1 })
    answer()
    break
  }
})

test('Ollama says what is in memory, with or without a tag', async () => {
  const server = await startOllama({ model: 'qwen' })
  const client = createServerClient(settingsFor(server.url, {}))
  const { signal } = new AbortController()

  expect(await isLoadedByOllama(client, 'qwen', signal)).toBe(false)
  await ask(modelAt(server.url, { model: 'qwen', numCtx: 8_192 }))
  expect(await isLoadedByOllama(client, 'qwen', signal)).toBe(true)
  expect(await isLoadedByOllama(client, 'qwen:latest', signal)).toBe(true)
})
