import { expect, test } from 'vitest'
import { quirksFor, requestFields, wireCallId, type QuirkSubject } from '../../src/provider/quirks.ts'
import { request } from './ask.ts'

const local: QuirkSubject = {
  kind: 'openai-compatible',
  model: 'qwen3-4b',
  baseUrl: 'http://127.0.0.1:8080/v1',
  local: true,
}

test.each<[string, QuirkSubject, object]>([
  ['llama.cpp and vLLM', local, { chat_template_kwargs: { enable_thinking: false, thinking: false } }],
  ['Ollama', { ...local, baseUrl: 'http://127.0.0.1:11434/v1' }, { reasoningEffort: 'none' }],
  [
    'gpt-oss, which cannot be stopped',
    { ...local, model: 'gpt-oss:20b', baseUrl: 'http://127.0.0.1:11434/v1' },
    { reasoningEffort: 'low', chat_template_kwargs: { reasoning_effort: 'low' } },
  ],
  [
    'OpenRouter',
    { ...local, local: false, baseUrl: 'https://openrouter.ai/api/v1' },
    { reasoning: { enabled: false } },
  ],
  ['gpt-5', { kind: 'openai', model: 'gpt-5-mini', local: false }, { reasoningEffort: 'minimal' }],
  ['gpt-5.2', { kind: 'openai', model: 'gpt-5.2', local: false }, { reasoningEffort: 'none' }],
  [
    'Gemini',
    { kind: 'google', model: 'gemini-2.5-flash', local: false },
    { thinkingConfig: { thinkingBudget: 0 } },
  ],
])('thinking is switched off in the way of %s', (_who, subject, fields) => {
  expect(requestFields(quirksFor(subject), request({ thinking: 'off' }))).toMatchObject(fields)
})

test('the repetition penalty has both names on a local server and none where it is unknown', () => {
  const asked = request({ repeatPenalty: 1.2 })

  const here = requestFields(quirksFor(local), asked)
  const there = requestFields(quirksFor({ ...local, local: false }), asked)

  expect(here).toEqual({ cache_prompt: true, repeat_penalty: 1.2, repetition_penalty: 1.2 })
  expect(there).toEqual({})
})

test('a message is continued with thinking off', () => {
  expect(requestFields(quirksFor(local), request({ continueLast: true }))).toEqual({
    cache_prompt: true,
    chat_template_kwargs: { enable_thinking: false, thinking: false },
    add_generation_prompt: false,
    continue_final_message: true,
  })
})

test.each(['mistral-nemo', 'Ministral-8B', 'codestral', 'mixtral-8x7b', 'Devstral-Small'])(
  'calls of %s have ids of nine letters and digits, the same ones each time',
  (model) => {
    const quirks = quirksFor({ ...local, model })

    const id = wireCallId('call_abc-1', quirks)

    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(wireCallId('call_abc-1', quirks)).toBe(id)
    expect(wireCallId('abcDEF123', quirks)).toBe('abcDEF123')
  },
)

test('other models get the ids as they are', () => {
  expect(wireCallId('call_abc-1', quirksFor(local))).toBe('call_abc-1')
})

test('what is configured wins', () => {
  const quirks = quirksFor(local, { thinkingOff: { think: false } })

  expect(quirks.thinkingOff).toEqual({ think: false })
  expect(quirks.always).toEqual({ cache_prompt: true })
})
