import { APICallError } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { AppError } from '../../src/protocol/error.ts'
import { toAppError, type Endpoint } from '../../src/provider/errors.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

const endpoint: Endpoint = {
  arm: 'arm',
  url: 'http://127.0.0.1:8080/v1',
  local: true,
  secrets: ['topsecret'],
}

const answered = (statusCode: number, body: string | object, responseHeaders: Record<string, string> = {}) =>
  toAppError(
    new APICallError({
      message: 'x',
      url: 'http://user:topsecret@127.0.0.1:8080/v1/chat/completions?key=topsecret',
      requestBodyValues: {},
      statusCode,
      responseHeaders,
      responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    }),
    endpoint,
    NOW,
  )

test.each([
  [
    'llama.cpp',
    400,
    {
      error: {
        type: 'exceed_context_size_error',
        message: 'request (9 tokens) exceeds the available context size (4 tokens), try increasing it',
      },
    },
  ],
  ['OpenAI', 400, { error: { code: 'context_length_exceeded', message: 'Too many tokens.' } }],
  [
    'vLLM',
    400,
    {
      error: {
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      },
    },
  ],
  ['vLLM, older', 400, { object: 'error', message: "This model's maximum context length is 4096 tokens." }],
  ['Ollama', 400, { error: 'the input length exceeds the context length' }],
  [
    'LM Studio',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    },
  ],
  [
    'Anthropic',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    },
  ],
  [
    'Anthropic, with the answer',
    400,
    { error: { message: 'input length and `max_tokens` exceed context limit: 188000 + 20000 > 200000' } },
  ],
  [
    'Gemini',
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'SGLang',
    400,
    { message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." },
  ],
  ['any', 413, 'Payload Too Large'],
] as const)('%s says that the context is exceeded', (_server, status, body) => {
  expect(answered(status, body)).toMatchObject({ code: 'context-overflow', details: { status } })
})

test.each([
  ['llama.cpp', 'Failed to parse input at pos 12: <tool_call>{"name": "x"'],
  ['llama.cpp, older', 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]'],
  ['Ollama', 'error parsing tool call: raw=\'{"name": \', err=unexpected end of JSON input'],
  ['any', 'parse error at line 1: invalid tool'],
])('%s could not parse a tool call', (_server, message) => {
  const error = answered(500, { error: { code: 500, message, type: 'server_error' } })

  expect(error).toMatchObject({ code: 'model-unavailable', details: { status: 500, unparsedCall: true } })
})

test.each([
  ['Ollama', 400, { error: { message: 'registry.ollama.ai/library/gemma:2b does not support tools' } }],
  ['llama.cpp', 500, { error: { code: 500, message: 'tools param requires --jinja flag' } }],
  [
    'vLLM',
    400,
    { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
  ],
] as const)('%s takes no tools: they can be described as text', (_server, status, body) => {
  expect(answered(status, body)).toMatchObject({
    code: 'model-unavailable',
    details: { status, unparsedCall: true },
  })
})

test.each([
  [401, 'credential'],
  [403, 'credential'],
  [404, 'request-invalid'],
  [408, 'model-unavailable'],
  [422, 'request-invalid'],
  [429, 'rate-limited'],
  [500, 'model-unavailable'],
  [502, 'model-unavailable'],
  [503, 'model-unavailable'],
  [529, 'model-unavailable'],
] as const)('status %i is %s', (status, code) => {
  expect(answered(status, { error: { message: 'no' } })).toMatchObject({ code, details: { status } })
})

test('a model that is still loading is distinguished from a broken server', () => {
  const loading = answered(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } })
  const broken = answered(503, 'upstream connect error')

  expect([loading.details.loading, broken.details.loading]).toEqual([true, undefined])
})

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:12 GMT' }, 12_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  [{ 'retry-after': 'soon' }, undefined],
])('the header %j asks for %s ms of patience', (headers, retryAfterMs) => {
  expect(answered(429, 'slow down', headers).details.retryAfterMs).toBe(retryAfterMs)
})

test.each([
  ['an OpenAI error', { error: { message: 'value not allowed' } }, 'value not allowed'],
  ['an error of Ollama', { error: 'value not allowed' }, 'value not allowed'],
  ['a detail of FastAPI', { detail: [{ msg: 'field required' }] }, 'field required'],
  ['plain text', 'nope', 'nope'],
  ['a page', '<html><body>nginx</body></html>', 'an HTML page'],
])("the server's own words are quoted from %s", (_shape, body, words) => {
  expect(answered(422, body).message).toBe(
    `arm: http://127.0.0.1:8080/v1/chat/completions answered 422: ${words}`,
  )
})

test('a model that the server does not have comes with the command that lists models', () => {
  expect(answered(404, { error: { message: 'model "x" not found' } }).message).toBe(
    'arm: http://127.0.0.1:8080/v1/chat/completions answered 404: model "x" not found. ' +
      '`covey models` lists the models of the servers in use; with --base-url, leave out --model.',
  )
})

test('a missing page asks for the right base URL', () => {
  expect(answered(404, '404 page not found').message).toContain(
    'which usually ends in /v1. Correct the base URL.',
  )
})

test('no key gets into a message', () => {
  const error = answered(400, { error: { message: 'bad key topsecret or sk-proj-abcdefgh123' } })

  expect(error.message).toBe(
    'arm: http://127.0.0.1:8080/v1/chat/completions answered 400: bad key [key] or [key]',
  )
})

test('a long answer is quoted in part', () => {
  expect(answered(400, 'x'.repeat(10_000)).message.length).toBeLessThan(400)
})

test('an error that is already an AppError passes through its wrappings', () => {
  const inner = new AppError('offline', 'no network here')

  expect(toAppError(new Error('wrapped', { cause: inner }), endpoint)).toBe(inner)
})

test.each([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'model-unavailable', 529],
  [{ code: 'rate_limit_exceeded', message: 'slow' }, 'rate-limited', 429],
  [{ message: 'the GPU is gone', code: 500 }, 'model-unavailable', 500],
  [{ error: 'cuda error' }, 'model-unavailable', 500],
  [{ message: 'prompt is too long' }, 'context-overflow', 500],
] as const)('an error object in the stream is classified: %j', (error, code, status) => {
  expect(toAppError(error, endpoint)).toMatchObject({ code, details: { status } })
})

test('a request that cannot even be sent is not worth a second try', () => {
  expect(toAppError(new SyntaxError('unexpected token'), endpoint)).toMatchObject({
    code: 'request-invalid',
    message: 'arm: the request could not be sent: unexpected token',
  })
})

test.each([
  [
    'llama.cpp',
    '{"error":{"code":400,"message":"request (5031 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5031,"n_ctx":4096}}',
    { window: 4096, promptTokens: 5031 },
  ],
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, your request has 5031 input tokens.",
    { window: 4096, promptTokens: 5031 },
  ],
  [
    'LM Studio',
    'The model is loaded with context length of only 4096 tokens, which is not enough.',
    { window: 4096 },
  ],
  [
    'llama.cpp, for embeddings',
    '{"error":{"code":500,"message":"input (902 tokens) is too large to process. increase the physical batch size (current batch size: 512)","type":"server_error"}}',
    { window: 512, promptTokens: 902 },
  ],
])('the numbers of an overflow are read: %s', (_server, body, numbers) => {
  expect(answered(400, body)).toMatchObject({ code: 'context-overflow', details: numbers })
})
