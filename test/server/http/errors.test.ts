/** Every error of ours, as each kind of client reads it. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../../src/protocol/error.ts'
import { shapeOfPath, toErrorBody, toProblem } from '../../../src/server/http/errors.ts'
import { errorSchemas } from '../../../src/server/admin/openapi.ts'
import { defineRoute, type ErrorShape } from '../../../src/server/http/route.ts'
import { openTestServer } from '../support.ts'

const cases = [
  [new AppError('rate-limited', 'Slow down.', { retryAfterMs: 1500 }), 429, 'rate_limit_exceeded', 2],
  [new AppError('rate-limited', 'Slow down.'), 429, 'rate_limit_exceeded', 5],
  [
    new AppError('context-overflow', 'Too long.', { window: 8192 }),
    400,
    'context_length_exceeded',
    undefined,
  ],
  [new AppError('model-unavailable', 'Away.'), 503, 'model_unavailable', 5],
  [new AppError('model-unavailable', 'Loading.', { loading: true }), 503, 'model_loading', 5],
  [new AppError('request-invalid', 'No.'), 400, 'request_invalid', undefined],
  [new AppError('request-invalid', 'No such model.', { status: 404 }), 404, 'not_found', undefined],
  // An upstream that refuses our key says nothing about the client's token.
  [new AppError('request-invalid', 'Refused above.', { status: 401 }), 400, 'request_invalid', undefined],
  [new AppError('credential', 'The key is wrong.', { status: 401 }), 502, 'upstream_credential', undefined],
  [new AppError('permission-denied', 'Not allowed.'), 403, 'permission_denied', undefined],
  [new AppError('session-busy', 'In use.'), 409, 'session_busy', undefined],
  [new AppError('session-unknown', 'None.'), 404, 'session_unknown', undefined],
  [new AppError('storage-failed', 'Disk full.'), 507, 'storage_failed', undefined],
  [new AppError('offline', 'Off.'), 503, 'offline', undefined],
  [new AppError('config-invalid', 'Wrong.'), 500, 'config_invalid', undefined],
  [new Error('at /home/me/secret.ts:1'), 500, 'internal_error', undefined],
  ['a string', 500, 'internal_error', undefined],
] as const

test.each(cases)('%s has a status, a code and a time to wait', async (error, status, code, retryAfterS) => {
  const fails = defineRoute({
    method: 'GET',
    path: '/fails',
    scope: 'chat',
    summary: 'Fails',
    handle: async () => {
      throw error
    },
  })
  const open = await openTestServer([fails])

  const reply = await open.ask({ path: '/fails' })

  expect(reply.status).toBe(status)
  expect(reply.headers['retry-after']).toBe(retryAfterS === undefined ? undefined : String(retryAfterS))
  expect(errorSchemas.openai.parse(reply.json()).error.code).toBe(code)
  expect(reply.text).not.toContain('secret')
})

describe('shapes', () => {
  const shapes: readonly ErrorShape[] = ['openai', 'anthropic', 'ollama']

  test.each(shapes)('%s: every problem fits its schema', (shape) => {
    for (const [error] of cases) {
      const body = toErrorBody(toProblem(error), shape, 'req_1')

      expect(errorSchemas[shape].parse(body)).toEqual(body)
    }
  })

  test('Anthropic clients read the types they know', () => {
    const typeOf = (error: unknown) =>
      errorSchemas.anthropic.parse(toErrorBody(toProblem(error), 'anthropic', 'r')).error.type

    expect([
      typeOf(new AppError('rate-limited', 'x')),
      typeOf(new AppError('model-unavailable', 'x')),
      typeOf(new AppError('request-invalid', 'x')),
      typeOf(new AppError('permission-denied', 'x')),
      typeOf(new Error('x')),
    ]).toEqual([
      'rate_limit_error',
      'overloaded_error',
      'invalid_request_error',
      'permission_error',
      'api_error',
    ])
  })

  test('an address without a route speaks the language of its API', () => {
    expect(
      ['/v1/messages', '/v1/messages/x', '/v1/messagesx', '/api/x', '/v1/x', '/'].map(shapeOfPath),
    ).toEqual(['anthropic', 'anthropic', 'openai', 'ollama', 'openai', 'openai'])
  })
})

test('a wrong field deep in a body is named', () => {
  const { error } = z
    .object({ messages: z.array(z.object({ role: z.string() })) })
    .safeParse({ messages: [{ role: 1 }] })

  expect(toProblem(error)).toMatchObject({ status: 400, param: 'messages[0].role' })
})
