/** No way in but through the locks: every route, the answers for what is no route, and the known ways round them. */
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shapeOfPath } from '../../src/server/http/errors.ts'
import { admit, type LockParts } from '../../src/server/http/guard-order.ts'
import { defaultLimits } from '../../src/server/http/limits.ts'
import { errorSchemas } from '../../src/server/admin/openapi.ts'
import { createWrongTokens } from '../../src/server/http/token-failures.ts'
import { openTestServer, rawClient, type Reply, send, testRoutes, type TestServer } from './support.ts'
import { until } from '../support/wait.ts'
import { runs } from '../support/runs.ts'

type Case = {
  readonly id: string
  readonly kind: 'host' | 'origin' | 'csrf' | 'auth' | 'bind'
  readonly host: string
  readonly origin: string | null
  readonly token: 'both' | 'valid' | 'none'
  readonly extra: string
}

const cases = readFileSync(new URL('fixtures/bypass-net.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
const ofKind = (kind: Case['kind']) => cases.filter((one) => one.kind === kind)

/** A request to each route, and to what is none. */
function everyWay({ server }: TestServer): { method: string; path: string }[] {
  const routes = server.routes.map(({ method, path }) => ({ method, path: path.replace(/:\w+|\*/g, 'x') }))
  const beside = [
    { method: 'GET', path: '/nowhere' },
    { method: 'POST', path: '/nowhere' },
    { method: 'PUT', path: '/echo' },
    { method: 'OPTIONS', path: '/echo' },
    { method: 'HEAD', path: '/stream' },
    { method: 'DELETE', path: '/v1/messages' },
    { method: 'GET', path: '/api/nothing' },
    { method: 'GET', path: '/%zz' },
    { method: 'PROPFIND', path: '/echo' },
    { method: 'GET', path: `/things/${'x'.repeat(600)}` },
    { method: 'DELETE', path: `/things/${'x'.repeat(600)}` },
  ]
  return [...routes, ...beside]
}

const isOpen = ({ server }: TestServer, { method, path }: { method: string; path: string }) =>
  server.routes.some((route) => route.scope === 'open' && route.path === path && route.method === method)

function expectError(reply: Reply, path: string): void {
  expect(reply.headers['x-request-id']).toMatch(/^req_/)
  expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  expect(reply.headers['content-security-policy']).toContain("default-src 'self'")
  if (reply.text !== '') errorSchemas[shapeOfPath(path)].parse(reply.json())
}

describe('every route', () => {
  test('without a token is refused, and so is what is no route', async () => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))

    for (const way of everyWay(open).filter((one) => !isOpen(open, one))) {
      const reply = await send(open.port, { ...way, ...(way.method === 'POST' && { body: '{}' }) })

      expect([way, reply.status]).toEqual([way, 401])
      expectError(reply, way.path)
    }

    expect(handled).toEqual([])
    expect(open.audit).toHaveLength(everyWay(open).length - 1)
  })

  test('with a wrong token is refused as well', async () => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))

    for (const way of everyWay(open).filter((one) => !isOpen(open, one))) {
      const reply = await send(open.port, { ...way, headers: { authorization: 'Bearer covey_wrong' } })

      expect([way, reply.status]).toEqual([way, 401])
    }

    expect(handled).toEqual([])
  })

  test.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['no Origin at all (null)', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another site of the same machine', { 'sec-fetch-site': 'same-site' }],
  ])('with %s is refused with a valid token, also the open ones', async (_name, headers) => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))

    for (const way of everyWay(open)) {
      const reply = await open.ask({ ...way, headers, ...(way.method === 'POST' && { body: '{}' }) })

      expect([way, reply.status]).toEqual([way, 403])
      expectError(reply, way.path)
    }

    expect(handled).toEqual([])
    expect(open.audit.map(({ what }) => what)).toEqual(everyWay(open).map(() => 'refused'))
  })

  test('is refused for its size before anybody is asked who they are', async () => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))

    for (const way of everyWay(open).filter(({ method }) => method === 'POST')) {
      const { socket, read } = await rawClient(open.port)
      socket.write(
        `${way.method} ${way.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 11000000\r\n\r\n`,
      )
      await until(() => read().includes('body_too_large'))

      expect(read()).toContain('HTTP/1.1 413')
    }

    expect(handled).toEqual([])
  })

  test('that is none is answered in words, with what there is instead', async () => {
    const open = await openTestServer(testRoutes())
    const ways = everyWay(open).slice(open.server.routes.length)

    const replies = await Promise.all(ways.map((way) => open.ask({ ...way })))

    expect(replies.map(({ status }) => status)).toEqual([
      404, 404, 405, 405, 405, 404, 404, 400, 404, 400, 400,
    ])
    expect(replies[2]?.headers.allow).toBe('GET, POST')
    for (const [index, reply] of replies.entries()) expectError(reply, ways[index]?.path ?? '')
    expect(open.audit).toEqual([])
  })

  test('that needs more than the token allows is refused', async () => {
    const open = await openTestServer(testRoutes())
    const chat = await open.addToken('chat-only', ['chat'])

    const denied = await send(open.port, {
      method: 'DELETE',
      path: '/things/1',
      headers: { authorization: `Bearer ${chat}` },
    })
    const allowed = await send(open.port, { headers: { 'x-api-key': chat } })

    expect([denied.status, allowed.status]).toEqual([403, 200])
    expect(denied.json()).toMatchObject({ error: { code: 'scope_missing', type: 'permission_error' } })
    expect(allowed.json()).toMatchObject({ client: 'chat-only' })
  })
})

describe('the known ways round a lock', () => {
  test.each(ofKind('host'))('$id: Host $host', async ({ host, token }) => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))
    const headers = { host: host.replace('PORT', String(open.port)) }

    const withToken = await open.ask({ headers })
    const without = await send(open.port, { headers })
    const stream = await open.ask({ path: '/stream', headers })

    const expected = token === 'both' ? [200, 401, 200] : [403, 403, 403]
    expect([withToken.status, without.status, stream.status]).toEqual(expected)
    expect(handled).toEqual(token === 'both' ? ['GET /echo', 'GET /stream'] : [])
  })

  test.each(ofKind('origin'))('$id: Origin $origin', async ({ origin }) => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))
    const sent = String(origin)
      .replace('PORT+1', String(open.port + 1))
      .replace('PORT', String(open.port))

    for (const type of ['application/json', 'text/plain']) {
      const headers = { origin: sent, 'content-type': type }
      const reply = await open.ask({ method: 'POST', headers, body: '{}' })

      expect(reply.status).toBe(403)
      expectError(reply, '/echo')
    }

    expect(handled).toEqual([])
  })

  test('a page of our own is let in', async () => {
    const open = await openTestServer(testRoutes())

    const reply = await open.ask({
      headers: {
        host: `localhost:${open.port}`,
        origin: `http://localhost:${open.port}`,
        'sec-fetch-site': 'same-origin',
      },
    })

    expect(reply.status).toBe(200)
  })

  test.each(ofKind('csrf'))('$id: $extra', async ({ extra, origin }) => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))
    const isUpgrade = extra.startsWith('WebSocket')
    const site = /Sec-Fetch-Site: (\S+)/.exec(extra)?.[1]
    const hasOrigin = origin !== null && !extra.includes('without Origin') && site === undefined

    const reply = await send(open.port, {
      method: isUpgrade || extra.startsWith('GET') ? 'GET' : 'POST',
      path: extra.startsWith('token in query') ? `/echo?token=${open.token}&api_key=${open.token}` : '/echo',
      headers: {
        ...(hasOrigin && !extra.startsWith('token in query') && { origin }),
        ...(site && { 'sec-fetch-site': site }),
        ...(extra.includes('text/plain') && { 'content-type': 'text/plain' }),
        ...(extra.includes('urlencoded') && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(isUpgrade && { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }),
      },
      ...(!isUpgrade && !extra.startsWith('GET') && { body: '{"text":"x"}' }),
    })

    expect([401, 403]).toContain(reply.status)
    expect(handled).toEqual([])
    expect(JSON.stringify(open.audit)).not.toContain(open.token)
  })

  test.each(ofKind('auth').filter(({ id }) => id <= 'N060'))('$id: $extra', async ({ extra }) => {
    const handled: string[] = []
    const open = await openTestServer(testRoutes(handled))
    let credential = extra.replaceAll('VALID', open.token)
    if (extra === 'Bearer with NUL') credential = `Bearer ${open.token}\\u0000`
    if (extra.startsWith('rotated')) {
      credential = `Bearer ${open.token}`
      await open.tokens.remove('tester')
      await open.tokens.add('tester', ['chat'])
    }

    const reply = await send(open.port, { headers: { authorization: credential } })

    expect(reply.status).toBe(401)
    expect(handled).toEqual([])
  })

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'bearer undefined',
    'Bearer null',
    "Bearer ' OR '1'='1",
    'Bearer "; DROP TABLE tokens; --',
    'Bearer ${jndi:ldap://evil}',
    'Bearer %00',
    'Bearer __proto__',
    'Bearer constructor',
    `Bearer ${'a'.repeat(15_000)}`,
    'Token x',
    'Digest username="x"',
  ])('the credential %j admits no client', async (authorization) => {
    const open = await openTestServer(testRoutes())

    const reply = await send(open.port, { headers: { authorization } })

    expect(reply.status).toBe(401)
  })

  test('raw bytes that a client library would not send', async () => {
    const open = await openTestServer(testRoutes())
    const authorization = `authorization: Bearer ${open.token}\r\n`
    const attempts = [
      [`GET http://evil.example/echo HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\n`, 403],
      [`GET /echo HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n${authorization}\r\n`, 403],
      [`GET /echo HTTP/1.1\r\n${authorization}\r\n`, 403],
      [`GET /echo HTTP/1.0\r\n${authorization}\r\n`, 403],
      [`GET /echo HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${open.token}\u0000\r\n\r\n`, 400],
      [`GET /echo HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      ['\u0016\u0003\u0001 not HTTP\r\n\r\n', 400],
      [
        `POST /echo HTTP/1.1\r\nhost: localhost\r\n${authorization}content-type: application/json\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
        400,
      ],
    ] as const

    for (const [bytes, status] of attempts) {
      const { socket, read } = await rawClient(open.port)
      socket.write(bytes)
      await until(() => read().includes('\r\n\r\n'))

      expect([bytes.slice(0, 60), /^HTTP\/1.1 (\d+)/.exec(read())?.[1]]).toEqual([
        bytes.slice(0, 60),
        String(status),
      ])
      expect(read().toLowerCase()).toContain('x-request-id: req_')
    }
  })
})

describe('the Host lock', () => {
  const parts: LockParts = {
    allowedHosts: new Set(['localhost', '127.0.0.1', '[::1]']),
    isAuthOff: true,
    tokens: { onRevoke: () => () => {}, find: async () => undefined },
    wrongTokens: createWrongTokens(60),
    limits: defaultLimits,
  }
  const head = (host: string): Promise<unknown> => {
    const request = {
      method: 'GET',
      target: '/',
      headers: { host },
      hosts: 1,
      address: '127.0.0.1',
      isBodiless: false,
    }
    return admit(request, 'chat', parts, new AbortController().signal)
  }
  const ours = /^(localhost\.?|127\.0\.0\.1\.?|\[::1\]\.?)(:\d{1,5})?$/i

  test('opens to our own names only, whatever is put around them', async () => {
    const around = fc.string({ maxLength: 8 })
    const name = fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'LOCALHOST', '')
    await fc.assert(
      fc.asyncProperty(around, name, around, async (before, host, after) => {
        const given = before + host + after

        const isIn = await head(given).then(
          () => true,
          () => false,
        )

        expect([given, isIn]).toEqual([given, ours.test(given)])
      }),
      { numRuns: runs(100, 500) },
    )
  })
})

describe('tokens', () => {
  test('wrong ones are refused with 429 after a while, and the right one still counts', async () => {
    const open = await openTestServer(testRoutes(), { limits: { wrongTokensPerMinute: 5 } })
    const headers = { authorization: 'Bearer covey_guess' }

    const statuses: number[] = []
    for (let guess = 0; guess < 7; guess++) statuses.push((await send(open.port, { headers })).status)
    const last = await send(open.port, { headers })
    const right = await open.ask()

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    expect(last.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'too_many_wrong_tokens' } })
    expect(right.status).toBe(200)
  })

  test('a wrong one waits for its answer, and delays no other client', async () => {
    const open = await openTestServer(testRoutes(), { limits: { wrongTokenMs: 60_000 } })
    const guesser = await rawClient(open.port)
    guesser.socket.write('GET /echo HTTP/1.1\r\nhost: localhost\r\nx-api-key: guess\r\n\r\n')

    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await open.ask()).status))

    expect(statuses).toEqual(statuses.map(() => 200))
    expect(guesser.read()).toBe('')
  })

  test('sixty a minute are the usual limit', async () => {
    const open = await openTestServer(testRoutes(), { limits: { wrongTokenMs: 0 } })
    const headers = { authorization: 'Bearer covey_guess' }

    const statuses: number[] = []
    for (let guess = 0; guess < 61; guess++) statuses.push((await send(open.port, { headers })).status)

    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429])
  })

  test('are never in the log, in the audit or in what a route sees', async () => {
    const open = await openTestServer(testRoutes())
    const { token } = open

    const reply = await open.ask({ path: `/echo?key=${token}`, headers: { cookie: `t=${token}` } })
    await open.ask({ path: `/nowhere?token=${token}` })
    await send(open.port, { path: `/echo?token=${token}`, headers: { 'x-api-key': `${token}x` } })
    await until(() => open.logged().split('\n').length >= 3)

    expect(reply.json()).toMatchObject({
      headers: expect.not.objectContaining({ authorization: expect.anything() }),
    })
    expect(JSON.stringify((reply.json() as { headers: object }).headers)).not.toContain(token)
    expect(open.logged() + JSON.stringify(open.audit)).not.toContain(token)
  })

  test('what is refused stays refused when the audit cannot be written', async () => {
    const open = await openTestServer(testRoutes(), {
      audit: () => {
        throw new Error('no space left')
      },
    })

    const reply = await send(open.port, {})

    expect(reply.status).toBe(401)
    expect(open.logged()).toContain('the audit line could not be written')
  })

  test('without auth everyone on this machine comes in, but no page of another site', async () => {
    const open = await openTestServer(testRoutes(), { isAuthOff: true })

    const plain = await send(open.port, {})
    const page = await send(open.port, { headers: { origin: 'https://evil.example' } })
    const rebound = await send(open.port, { headers: { host: 'evil.example' } })

    expect([plain.status, page.status, rebound.status]).toEqual([200, 403, 403])
    expect(plain.json()).toMatchObject({ client: 'local' })
  })
})
