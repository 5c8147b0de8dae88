/** What every API says about sampling reaches the model, in one form. */
import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../../src/provider/scripted.ts'
import { startApi } from './host.ts'

const messages = [{ role: 'user', content: 'Hello.' }]
const openai = { temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: -1, seed: 7 }
const all = { temperature: 0.5, topP: 0.9, presencePenalty: 1, frequencyPenalty: -1, seed: 7 }

test.each<[string, object, object]>([
  ['/v1/chat/completions', { messages, ...openai }, all],
  ['/v1/responses', { input: 'Hello.', ...openai }, all],
  ['/v1/completions', { prompt: 'Hello', ...openai }, all],
  [
    '/v1/messages',
    { messages, max_tokens: 9, temperature: 0.5, top_p: 0.9 },
    { temperature: 0.5, topP: 0.9 },
  ],
  ['/api/chat', { model: 'scripted', messages, stream: false, options: openai }, all],
  ['/api/generate', { model: 'scripted', prompt: 'Hello', stream: false, options: openai }, all],
])('%s', async (path, body, expected) => {
  const model = scriptedModel([says('Hello.')])
  const host = await startApi(model)

  const response = await host.post(path, body)

  expect(response.status).toBe(200)
  expect(model.asked[0]).toMatchObject(expected)
})

test('what a client does not say is not sent', async () => {
  const model = scriptedModel([says('Hello.')])
  const host = await startApi(model)

  await host.post('/v1/chat/completions', { messages, top_p: null })

  expect(Object.keys(model.asked[0] ?? {}).toSorted()).toEqual([
    'messages',
    'runId',
    'sessionId',
    'system',
    'tools',
    'turn',
  ])
})
