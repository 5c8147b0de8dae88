/** Streams with clients as they are: patient, slow, stuck and gone. */
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AppError } from '../../../src/protocol/error.ts'
import { defineRoute, type StreamPart } from '../../../src/server/http/route.ts'
import { openTokens } from '../../../src/server/http/tokens.ts'
import { never, vanishingClient } from '../streams.ts'
import { openTestServer, rawClient, streamOf, streamRoute, testRoutes } from '../support.ts'
import { until } from '../../support/wait.ts'

const get = (token: string, path = '/parts') =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`

test('parts become server-sent events, with names, numbers and lines kept apart', async () => {
  async function* parts(): AsyncGenerator<StreamPart> {
    yield { data: 'one' }
    yield { event: 'named', id: '7', data: 'two\nlines' }
  }
  const open = await openTestServer([streamRoute(parts)])

  const reply = await open.ask({ path: '/parts' })

  expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(reply.text).toBe('data: one\n\nevent: named\nid: 7\ndata: two\ndata: lines\n\n')
})

test('parts become lines of JSON where a route wants them', async () => {
  async function* parts(): AsyncGenerator<StreamPart> {
    yield { data: '{"a":1}' }
    yield { event: 'ignored', data: '{"a":2}' }
  }
  const route = defineRoute({
    method: 'GET',
    path: '/parts',
    scope: 'chat',
    summary: 'Lines',
    handle: async () => streamOf(parts(), 'ndjson'),
  })
  const open = await openTestServer([route])

  const reply = await open.ask({ path: '/parts' })

  expect(reply.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
  expect(reply.text).toBe('{"a":1}\n{"a":2}\n')
})

test('an error in the first moments is an HTTP status', async () => {
  const open = await openTestServer(
    [
      streamRoute(async function* () {
        await delay(20)
        throw new AppError('model-unavailable', 'Still loading.', { loading: true, retryAfterMs: 2500 })
      }),
    ],
    { limits: { streamGraceMs: 60_000 } },
  )

  const reply = await open.ask({ path: '/parts' })

  expect(reply.status).toBe(503)
  expect(reply.headers['retry-after']).toBe('3')
  expect(reply.json()).toMatchObject({ error: { code: 'model_loading', message: 'Still loading.' } })
})

test('an error after that is sent in the stream, and nothing follows it', async () => {
  const open = await openTestServer(
    [
      streamRoute(async function* () {
        await delay(100)
        throw new AppError('model-unavailable', 'The model went away.')
      }),
    ],
    { limits: { streamGraceMs: 10 } },
  )

  const reply = await open.ask({ path: '/parts' })

  expect(reply.status).toBe(200)
  expect(reply.text).toBe('event: error\ndata: The model went away.\n\n')
})

test('an error after some parts comes after them', async () => {
  const open = await openTestServer([
    streamRoute(async function* () {
      yield { data: 'one' }
      throw new Error('broken')
    }),
  ])

  const reply = await open.ask({ path: '/parts' })

  expect([reply.status, reply.text]).toEqual([200, 'data: one\n\nevent: error\ndata: broken\n\n'])
})

test('headers are sent while the model still thinks, and comments keep the line open', async () => {
  const open = await openTestServer([streamRoute(never)], { limits: { keepAliveMs: 10, streamGraceMs: 10 } })
  const { socket, read } = await rawClient(open.port)

  socket.write(get(open.token))
  await until(() => read().split(': keep-alive').length > 3)

  expect(read()).toMatch(/^HTTP\/1\.1 200 OK/)
})

test('a client that goes away ends the work for it, at whatever moment', async () => {
  for (let offset = 0; offset < 40; offset++) await vanishingClient(offset)
})

test('a part that fails once the client is gone has no effect', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  let isGone = false
  const open = await openTestServer([
    streamRoute(async function* (signal) {
      signal.addEventListener('abort', () => (isGone = true))
      while (!signal.aborted) {
        yield { data: 'x'.repeat(20_000) }
        await delay(1)
      }
      throw new Error('too late')
    }),
  ])
  const { socket, read } = await rawClient(open.port)
  socket.write(get(open.token))
  await until(() => read().length > 50_000)

  socket.destroy()
  await until(() => isGone)
  await delay(50)

  expect(unhandled).toEqual([])
})

test('the work ends also when it does not listen to the signal', async () => {
  let isReturned = false
  const open = await openTestServer(
    [
      streamRoute(() => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => {}),
          return: async () => {
            isReturned = true
            return { done: true, value: undefined }
          },
        }),
      })),
    ],
    { limits: { streamGraceMs: 1 } },
  )
  const { socket, read } = await rawClient(open.port)
  socket.write(get(open.token))
  await until(() => read().includes('200 OK'))

  socket.destroy()
  await until(() => isReturned)

  expect(isReturned).toBe(true)
})

test('a client that does not read holds back a bounded number of bytes, then it is closed with a reason', async () => {
  let sent = 0
  let isOver = false
  const part = { data: 'x'.repeat(64 * 1024) }
  const open = await openTestServer(
    [
      streamRoute(async function* () {
        try {
          for (; sent < 200_000_000; sent += part.data.length) yield part
        } finally {
          isOver = true
        }
      }),
    ],
    { limits: { streamStallMs: 100 } },
  )
  const { socket } = await rawClient(open.port)
  socket.pause()

  socket.write(get(open.token))
  await until(() => isOver)

  // What the kernel keeps for the socket comes on top of our own 2 MiB.
  expect(sent).toBeLessThan(20_000_000)
  expect(open.logged()).toContain('2048 KiB were waiting and nothing was read')
})

test('a client that reads slowly gets everything, also what is left when the stream has ended', async () => {
  const part = { data: 'x'.repeat(64 * 1024 - 8) }
  const open = await openTestServer(
    [
      streamRoute(async function* () {
        for (let index = 0; index < 200; index++) yield part
        yield { data: 'end' }
      }),
    ],
    { limits: { closeMs: 1, streamStallMs: 60_000 } },
  )
  const { socket, read, closed } = await rawClient(open.port)
  socket.on('data', () => {
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })

  socket.write(get(open.token).replace('host:', 'connection: close\r\nhost:'))
  await closed

  expect(read().split('data: ')).toHaveLength(202)
  expect(read()).toContain('data: end')
})

test('a watcher whose token is revoked gets an error too', async () => {
  const watching = defineRoute({
    method: 'GET',
    path: '/parts',
    scope: 'chat',
    summary: 'Watches',
    handle: async ({ signal }) => ({ ...streamOf(never(signal)), isWatch: true }),
  })
  const open = await openTestServer([watching], { limits: { keepAliveMs: 10, streamGraceMs: 1 } })
  const { socket, read } = await rawClient(open.port)
  socket.write(get(open.token))
  await until(() => read().includes('keep-alive'))

  await open.tokens.remove('tester')

  await until(() => read().includes('The token of this stream has expired or was revoked'))
})

test('a server that closes lets a request finish and takes no other', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = defineRoute({
    method: 'GET',
    path: '/slow',
    scope: 'chat',
    summary: 'Slow',
    handle: async () => {
      await gate
      return { kind: 'json', body: 'done' }
    },
  })
  const open = await openTestServer([slow, ...testRoutes()], { limits: { closeMs: 5_000 } })
  const { socket, read } = await rawClient(open.port)
  socket.write(get(open.token, '/slow'))
  await until(() => socket.bytesWritten > 0)
  await open.ask()

  const closed = open.server.close()
  await expect(open.ask()).rejects.toThrow('ECONNREFUSED')
  release()
  await closed
  await until(() => read() !== '')

  expect(read()).toContain('"done"')
})

test('a server that closes ends streams with a reason, watchers without waiting', async () => {
  const watch = defineRoute({
    method: 'GET',
    path: '/watch',
    scope: 'chat',
    summary: 'Watches',
    handle: async ({ signal }) => ({ ...streamOf(never(signal)), isWatch: true }),
  })
  const open = await openTestServer([streamRoute(never), watch], {
    limits: { closeMs: 50, streamGraceMs: 1 },
  })
  const stream = await rawClient(open.port)
  const watcher = await rawClient(open.port)
  stream.socket.write(get(open.token))
  watcher.socket.write(get(open.token, '/watch'))
  await until(() => stream.read().includes('200 OK') && watcher.read().includes('200 OK'))

  await open.server.close()
  await Promise.all([stream.closed, watcher.closed])

  expect(stream.read()).toContain('event: error\ndata: The server is closing')
  expect(watcher.read()).not.toContain('event: error')
})

describe('a stream ends with its token', () => {
  async function watchWith(ttlMs?: number, keepAliveMs = 3_600_000) {
    const open = await openTestServer([streamRoute(never)], { limits: { keepAliveMs, streamGraceMs: 10 } })
    const token = await open.tokens.add('page', ['chat'], ttlMs === undefined ? {} : { ttlMs })
    const { socket, read } = await rawClient(open.port)
    socket.write(get(token))
    await until(() => read().includes('200 OK'))
    return { open, read, ended: () => until(() => read().endsWith('\r\n0\r\n\r\n')) }
  }

  test('when it expires, without a look in between', async () => {
    const { read, ended } = await watchWith(2_000)

    await ended()

    expect(read()).toContain('event: error\ndata: The token of this stream has expired or was revoked')
  })

  test('at once when this process revokes it, and no other stream does', async () => {
    const { open, read, ended } = await watchWith()
    const other = await rawClient(open.port)
    other.socket.write(get(open.token))
    await until(() => other.read().includes('200 OK'))

    await open.tokens.remove('page')
    await ended()

    expect(read()).toContain('event: error')
    expect([other.socket.destroyed, other.read().includes('event: error')]).toEqual([false, false])
  })

  test('at the next look when another process revokes it', async () => {
    const { open, read, ended } = await watchWith(undefined, 20)

    await openTokens(open.tokensPath).remove('page')
    await ended()

    expect(read()).toContain('event: error')
  })
})
