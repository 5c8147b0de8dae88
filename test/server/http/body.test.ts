/** What strangers send: large, deep, poisoned, of the wrong kind. Each gets an answer, and the next request too. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBody } from '../../../src/server/http/body.ts'
import { errorSchemas } from '../../../src/server/admin/openapi.ts'
import { defineRoute } from '../../../src/server/http/route.ts'
import { oddStrings } from '../odd-strings.ts'
import { type Ask, openTestServer, testRoutes, type Reply } from '../support.ts'

const errorOf = (reply: Reply) => errorSchemas.openai.parse(reply.json()).error

test('a body over the limit is refused, declared or not', async () => {
  const open = await openTestServer(testRoutes())
  const body = JSON.stringify({ text: 'x'.repeat(11_000_000) })

  const declared = await open.ask({
    method: 'POST',
    body,
    headers: { 'content-length': String(body.length) },
  })
  const chunked = await open.ask({ method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } })

  expect([declared.status, chunked.status]).toEqual([413, 413])
  expect([errorOf(declared).code, errorOf(chunked).code]).toEqual(['body_too_large', 'body_too_large'])
  expect((await open.ask()).status).toBe(200)
})

test('a body just below the limit is taken', async () => {
  const open = await openTestServer(testRoutes())

  const reply = await open.ask({ method: 'POST', body: JSON.stringify({ text: 'x'.repeat(10_000_000) }) })

  expect(reply.status).toBe(200)
})

test('JSON is read 64 levels deep, no deeper', async () => {
  const open = await openTestServer(testRoutes())
  const nested = (depth: number) => `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const brackets = JSON.stringify({ text: '[{'.repeat(10_000) })

  const statuses = await Promise.all(
    [nested(64), nested(65), nested(10_000), '['.repeat(10_000), brackets].map(
      async (body) => (await open.ask({ method: 'POST', body })).status,
    ),
  )

  expect(statuses).toEqual([200, 400, 400, 400, 200])
})

test('a hundred thousand keys are taken', async () => {
  const open = await openTestServer(testRoutes())
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]))

  const reply = await open.ask({ method: 'POST', body: JSON.stringify(keys) })

  expect(reply.status).toBe(200)
  expect(Object.keys(reply.json() as object)).toHaveLength(100_000)
})

test('keys that reach for a prototype are dropped at every depth', async () => {
  const open = await openTestServer(testRoutes())
  const body =
    '{"text":"a","__proto__":{"polluted":1},"list":[{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}],"constructor":"fine"}'

  const reply = await open.ask({ method: 'POST', body })

  expect(reply.json()).toEqual({ text: 'a', list: [{}], constructor: 'fine' })
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'text/json',
  'application/vnd.api+json',
  '',
])('a body as %j is refused', async (type) => {
  const open = await openTestServer(testRoutes())

  const reply = await open.ask({ method: 'POST', body: '{}', headers: { 'content-type': type } })

  expect(reply.status).toBe(415)
  expect(errorOf(reply).code).toBe('media_type')
})

test('a route that reads no body is asked with none and without a media type; a page of another site is not', async () => {
  const route = defineRoute({
    method: 'POST',
    path: '/stop',
    scope: 'chat',
    summary: 'Needs no body',
    handle: async () => ({ kind: 'json', body: { ok: true } }),
  })
  const open = await openTestServer([...testRoutes(), route])
  const ask = async (headers: Ask['headers'], more: Ask = {}) =>
    (
      await open.ask({
        method: 'POST',
        path: '/stop',
        ...more,
        headers: { 'content-type': undefined, ...headers },
      })
    ).status

  const empty = [await ask({}), await ask({ 'content-length': '0' })]
  const withBody = [
    await ask({}, { body: '{}' }),
    await ask({ 'transfer-encoding': 'chunked' }, { body: '{}' }),
  ]
  const ofForms = await ask({ 'content-type': 'application/x-www-form-urlencoded' })
  const ofPages = await ask({ origin: 'http://elsewhere.example' })
  const whereOneIsNeeded = await ask({}, { path: '/echo' })

  expect([empty, withBody]).toEqual([
    [200, 200],
    [415, 415],
  ])
  expect([ofForms, ofPages, whereOneIsNeeded]).toEqual([415, 403, 415])
})

test('a packed body is refused, one with a charset is taken', async () => {
  const open = await openTestServer(testRoutes())

  const packed = await open.ask({ method: 'POST', body: '{}', headers: { 'content-encoding': 'gzip' } })
  const charset = await open.ask({
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'Application/JSON; charset=utf-8' },
  })

  expect([packed.status, charset.status]).toEqual([415, 200])
})

test.each([
  ['no JSON', '{"text":'],
  ['two values', '{}{}'],
  ['no UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
  ['nothing', ''],
])('%s is refused in words', async (_name, body) => {
  const open = await openTestServer(testRoutes())

  const reply = await open.ask({ method: 'POST', body })

  expect(reply.status).toBe(400)
  expect(errorOf(reply).type).toBe('invalid_request_error')
})

test('a wrong field is named', async () => {
  const open = await openTestServer(testRoutes())

  const reply = await open.ask({ method: 'POST', body: '{"text":"a","n":1.5}' })

  expect(reply.status).toBe(400)
  expect(errorOf(reply)).toMatchObject({ param: 'n', code: 'invalid_value' })
})

test('odd strings come back as they were sent, and are harmless in a URL', async () => {
  const open = await openTestServer(testRoutes())
  const strings = oddStrings()

  for (const text of strings) {
    // An address cannot carry half a character.
    const whole = Buffer.from(text).toString()
    const body = await open.ask({ method: 'POST', body: JSON.stringify({ text }) })
    const query = await open.ask({ path: `/echo?text=${encodeURIComponent(whole)}` })
    const path = await open.ask({ method: 'DELETE', path: `/things/${encodeURIComponent(whole)}` })

    expect([body.status, body.json()]).toEqual([200, { text }])
    expect(query.json()).toMatchObject({ query: { text: whole } })
    expect([200, 400, 404]).toContain(path.status)
    if (path.status !== 200) errorOf(path)
  }

  expect(strings).toHaveLength(515)
})

test('whatever JSON can say is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20, noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('__proto__') && !text.includes('constructor'))

      expect(readBody(Buffer.from(text), 64)).toEqual(JSON.parse(text))
    }),
  )
})

test('any bytes at all are read or refused, never thrown out with something else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readBody(bytes, 64)
      } catch (error) {
        expect(error).toMatchObject({ problem: { status: 400 } })
      }
    }),
  )
})
