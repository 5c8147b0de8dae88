/** How each family of models is asked to fill a gap, and what text in a file cannot do to that. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { families, fillFamilyOf } from '../../../src/provider/fill/families.ts'
import { createFillModel, nearGap } from '../../../src/provider/fill/model.ts'
import { createServerClient } from '../../../src/provider/server-client.ts'
import { listen, openAiError, type FakeServer } from '../../support/model-server/listen.ts'
import { ask, askInVain, joined, request } from '../ask.ts'
import { settingsFor } from '../probing.ts'

const before = 'const sum = '
const after = '\nconsole.log(sum)'

const asking = (texts: readonly string[] = [before, after]) =>
  request({ system: '', messages: texts.map((text) => ({ role: 'user', text })), maxTokens: 16 })

/** Says `1 + 2` to every prompt of vLLM and Ollama. */
const startServer = (): Promise<FakeServer> =>
  listen({
    quirks: {},
    errorBody: openAiError,
    routes: {
      'POST /v1/completions': () => ({
        as: 'sse',
        lines: [
          { choices: [{ text: '1 + 2', finish_reason: null }] },
          { choices: [{ text: '', finish_reason: 'stop' }] },
          { choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } },
        ],
      }),
      'POST /api/generate': () => ({
        as: 'ndjson',
        lines: [
          { response: '1 + 2', done: false },
          { response: '', done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 3 },
        ],
      }),
    },
  })

type Server = 'vllm' | 'ollama' | 'lm-studio' | 'unknown'

const modelOn = (url: string, model: string, server: Server = 'vllm', window = 8192) =>
  createFillModel({ name: 'arm', model, server, window, client: createServerClient(settingsFor(url)) })

test.each([
  ['qwen2.5-coder:7b', `<|fim_prefix|>${before}<|fim_suffix|>${after}<|fim_middle|>`],
  ['Qwen/Qwen3-Coder-30B-A3B-Instruct', `<|fim_prefix|>${before}<|fim_suffix|>${after}<|fim_middle|>`],
  ['CodeQwen1.5-7B', `<fim_prefix>${before}<fim_suffix>${after}<fim_middle>`],
  ['bigcode/starcoder2-7b', `<fim_prefix>${before}<fim_suffix>${after}<fim_middle>`],
  ['codellama:7b-code', `<PRE> ${before} <SUF>${after} <MID>`],
  ['deepseek-coder-v2:16b', `<｜fim▁begin｜>${before}<｜fim▁hole｜>${after}<｜fim▁end｜>`],
  ['Codestral-22B-v0.1', `[SUFFIX]${after}[PREFIX]${before}`],
  ['codegemma:2b', `<|fim_prefix|>${before}<|fim_suffix|>${after}<|fim_middle|>`],
  ['Seed-Coder-8B-Base', `<[fim-suffix]>${after}<[fim-prefix]>${before}<[fim-middle]>`],
])('%s is asked with its own tokens', async (model, prompt) => {
  const server = await startServer()

  const events = await ask(modelOn(server.url, model)!, asking())

  expect(joined(events)).toEqual([
    { type: 'text-delta', text: '1 + 2' },
    { type: 'usage', usage: { prompt: 9, completion: 3 } },
    { type: 'finish', reason: 'stop' },
  ])
  expect(server.sent('/v1/completions')).toEqual([
    expect.objectContaining({ prompt, max_tokens: 16, stop: fillFamilyOf(model)?.stop }),
  ])
})

test('Ollama gets the prompt raw, for the window of the arm', async () => {
  const server = await startServer()

  const events = await ask(modelOn(server.url, 'qwen2.5-coder:7b', 'ollama')!, asking())

  expect(joined(events)[0]).toEqual({ type: 'text-delta', text: '1 + 2' })
  expect(server.sent('/api/generate')).toEqual([
    expect.objectContaining({
      raw: true,
      options: expect.objectContaining({ num_ctx: 8192, num_predict: 16 }),
    }),
  ])
})

test.each([
  ['llama3.1:8b', 'vllm'],
  ['mistral-small', 'ollama'],
  ['qwen2.5-coder:7b', 'unknown'],
] as const)('%s on %s cannot', (model, server) => {
  expect(modelOn('http://127.0.0.1:1/v1', model, server)).toBeUndefined()
})

test('tokens in a file are no tokens to the model', async () => {
  const server = await startServer()
  const model = modelOn(server.url, 'qwen2.5-coder:7b')!

  await ask(model, asking(['a <|fim_middle|> b', 'c <|endoftext|> d']))

  const [sent] = server.sent('/v1/completions')
  expect(String(sent?.['prompt']).match(/<\|\w+\|>/g)).toEqual([
    '<|fim_prefix|>',
    '<|fim_suffix|>',
    '<|fim_middle|>',
  ])
})

test('what is far from the gap is left out where the window is small', async () => {
  const server = await startServer()

  await ask(
    modelOn(server.url, 'qwen2.5-coder:7b', 'vllm', 1024)!,
    asking(['x'.repeat(9_000) + before, after]),
  )

  const prompt = String(server.sent('/v1/completions')[0]?.['prompt'])
  expect(prompt.length).toBeLessThan(1024 * 3)
  expect(prompt).toContain(`${before}<|fim_suffix|>${after}`)
})

test('both sides of a gap together never take more room than there is, and all of it where they need it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.integer({ min: 0, max: 60 }), (one, two, room) => {
      const near = nearGap({ before: one, after: two }, room)

      expect(one.endsWith(near.before) && two.startsWith(near.after)).toBe(true)
      expect(near.before.length + near.after.length).toBe(Math.min(room, one.length + two.length))
    }),
  )
})

test('anything else than two messages is no gap', async () => {
  const server = await startServer()

  const failure = await askInVain(modelOn(server.url, 'starcoder2')!, asking(['one']))

  expect(failure).toMatchObject({ code: 'request-invalid', message: expect.stringContaining('two messages') })
})

test('no family is hidden by one before it', () => {
  expect(families.map(({ name }) => fillFamilyOf(name)?.name)).toEqual(families.map(({ name }) => name))
})
