/** Sampling and log probabilities reach every kind of server in its own words. */
import { expect, test } from 'vitest'
import type { ModelRequest } from '../../src/protocol/model.ts'
import { toCallOptions } from '../../src/provider/sdk/call-options.ts'
import { readChances, readLegacyChances } from '../../src/provider/chances.ts'
import { rawWireFor } from '../../src/provider/raw/wire.ts'
import { listen, openAiError } from '../support/model-server/listen.ts'
import { ask, askInVain, modelAt, request, serve } from './ask.ts'

const sampling = { temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1, seed: 7 }
const wire = { temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: -1, seed: 7 }
const asked = request(sampling)

test('the chat API', async () => {
  const server = await serve([{ text: 'Hello.' }])

  await ask(modelAt(server.url), asked)

  expect(server.requests[0]).toMatchObject(wire)
})

test('Ollama', async () => {
  const server = await listen({
    quirks: {},
    errorBody: openAiError,
    routes: { 'POST /api/chat': ollamaSays },
  })

  const events = await ask(modelAt(server.url, { numCtx: 4096 }), { ...asked, logprobs: 1 })

  expect(server.sent('/api/chat')).toEqual([
    expect.objectContaining({ logprobs: true, top_logprobs: 1, options: { num_ctx: 4096, ...wire } }),
  ])
  expect(events.slice(0, 2)).toEqual([
    { type: 'text-delta', text: 'Hello.' },
    { type: 'logprobs', tokens: [{ token: 'Hello.', logprob: -1, top: [{ token: 'Hi', logprob: -2 }] }] },
  ])
})

const chance = { token: 'Hello.', logprob: -1, top_logprobs: [{ token: 'Hi', logprob: -2 }] }

const ollamaSays = () =>
  ({
    as: 'ndjson',
    lines: [
      { message: { role: 'assistant', content: 'Hello.' }, logprobs: [chance], done: false },
      { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' },
    ],
  }) as const

test('models of the AI SDK', () => {
  const rendering = { emission: { base: 'tool-role' }, reasoning: 'drop' } as const

  expect(toCallOptions(asked, rendering, 'anthropic')).toMatchObject(sampling)
})

test.each([
  ['llama.cpp', wire, { n_probs: 3 }],
  ['vllm', wire, { logprobs: 3 }],
  ['ollama', { options: expect.objectContaining(wire) }, { logprobs: true, top_logprobs: 3 }],
] as const)('raw prompts on %s', (server, fields, probabilities) => {
  const given: ModelRequest = { ...asked, logprobs: 3 }

  const body = rawWireFor(server).body({
    model: 'm',
    prompt: 'p',
    request: given,
    window: 4096,
    stop: [],
    preserved: [],
    slot: 0,
  })

  expect(body).toMatchObject({ ...fields, ...probabilities })
})

test('log probabilities are read in both shapes, and what cannot be read is left out', () => {
  const told = [{ token: 'Hello.', logprob: -1, top: [{ token: 'Hi', logprob: -2 }] }]

  expect(readChances([chance, { token: 4 }, null])).toEqual(told)
  expect(
    readLegacyChances({ tokens: ['Hello.', 'x'], token_logprobs: [-1, null], top_logprobs: [{ Hi: -2 }] }),
  ).toEqual(told)
  expect([readChances(undefined), readLegacyChances(null)]).toEqual([[], []])
})

test('a maker whose models tell no log probabilities is not asked', async () => {
  const server = await serve([])
  const model = modelAt(server.url, { kind: 'anthropic', apiKey: 'k', local: false })

  const failure = await askInVain(model, request({ logprobs: 0 }))

  expect(failure).toMatchObject({
    code: 'request-invalid',
    message: 'test-arm reports no log probabilities; leave logprobs out, or ask another model.',
    details: { status: 400 },
  })
  expect(server.requests).toEqual([])
})
