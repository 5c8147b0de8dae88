/** Everything a model server can do wrong, over real HTTP: each becomes one AppError, and no cut call gets through. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../support/model-server/reply.ts'
import { ask, askInVain, modelAt, request, serve } from './ask.ts'
import { until } from '../support/wait.ts'

test.each<Fault>([
  'reset',
  'end-early',
  'cut-mid-json',
  'cut-mid-utf8',
  'garbage',
  'error-in-stream',
  'endless-line',
])('a reply with the fault %s fails and names the server', async (fault) => {
  const server = await serve([{ text: 'A sentence of some length.', fault }])

  const failure = await askInVain(modelAt(server.url))

  expect(failure.code).toBe('model-unavailable')
  expect(failure.message).toContain(`test-arm: `)
  expect(failure.message).toContain(server.url)
})

test.each<Fault>(['reset', 'end-early', 'cut-mid-json', 'garbage', 'error-in-stream'])(
  'a call in a reply with the fault %s is never told',
  async (fault) => {
    const call = { name: 'run_command', arguments: { command: 'rm -rf build-and-some-more' } }
    const server = await serve([{ calls: [call], fault }])

    const failure = await askInVain(modelAt(server.url))

    expect(failure.code).toBe('model-unavailable')
    expect(failure.events).toEqual([])
  },
)

test('a complete call before the cut is not told either', async () => {
  const calls = [
    { id: 'a', name: 'read_file', arguments: { path: 'a' } },
    { id: 'b', name: 'read_file', arguments: { path: 'a longer path' } },
  ]
  const server = await serve([{ calls, finish: null, fault: 'end-early' }])

  const failure = await askInVain(modelAt(server.url))

  expect(failure.events).toEqual([])
})

test('the error in a stream is reported', async () => {
  const server = await serve([{ text: 'Half of it', fault: 'error-in-stream' }])

  const failure = await askInVain(modelAt(server.url))

  expect(failure.message).toContain('answered 500: the GPU is on fire')
  expect(failure.details.status).toBe(500)
})

test('a line without end is given up at 16 MiB and the connection closed', async () => {
  const server = await serve([{ fault: 'endless-line' }])

  const failure = await askInVain(modelAt(server.url))
  await server.clientGone

  expect(failure.message).toContain('one event is longer than 16 MiB')
})

test.each<Fault>(['hang-before-headers', 'hang-mid-stream'])(
  'a server with the fault %s is given up when its time is over',
  async (fault) => {
    const server = await serve([{ text: 'A sentence of some length.', fault }])

    const failure = await askInVain(modelAt(server.url, { firstTokenMs: () => 1_000 }))
    await server.clientGone

    expect(failure).toMatchObject({
      code: 'model-unavailable',
      message: `test-arm: ${server.url} sent nothing for 1 s: the server is stuck or busy with other requests. Look at its log, or try again.`,
      details: {},
    })
  },
)

test('a server may be given all the time there is', async () => {
  const server = await serve([{ text: 'ok' }])

  const events = await ask(modelAt(server.url, { firstTokenMs: () => Number.POSITIVE_INFINITY }))

  expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
})

test('the time a server gets follows the size of the prompt', async () => {
  const server = await serve([{ text: 'ok' }, { text: 'ok' }])
  const sizes: number[] = []
  const model = modelAt(server.url, {
    firstTokenMs: (tokens) => {
      sizes.push(tokens)
      return 10_000
    },
  })

  await ask(model)
  await ask(model, request({ system: 'x'.repeat(3000) }))

  expect(sizes[1]! - sizes[0]!).toBeGreaterThan(900)
  expect(sizes[1]! - sizes[0]!).toBeLessThan(1100)
})

test('a hanging server is left at once when the caller cancels', async () => {
  const server = await serve([{ fault: 'hang-before-headers' }])
  const cancel = new AbortController()

  const asking = ask(modelAt(server.url), request(), cancel.signal)
  await until(() => server.requests.length === 1)
  cancel.abort()
  const events = await asking
  await server.clientGone

  expect(events).toEqual([])
})

test('HTML instead of a stream is explained', async () => {
  const server = await serve([
    { status: 200, body: '<!doctype html><html></html>', headers: { 'content-type': 'text/html' } },
  ])

  const failure = await askInVain(modelAt(server.url))

  expect(failure).toEqual({
    events: [],
    code: 'model-unavailable',
    message: `test-arm: ${server.url} answered with HTML: this is a web page, not the API. Use the address of the API; it usually ends in /v1.`,
    details: { status: 200 },
  })
})

test('a body that is no stream at all fails', async () => {
  const server = await serve([
    { status: 200, body: 'It works!' },
    { status: 200, body: {} },
  ])
  const model = modelAt(server.url)

  const text = await askInVain(model)
  const json = await askInVain(model)

  expect([text.code, json.code]).toEqual(['model-unavailable', 'model-unavailable'])
})

test('a wrong key is reported without the key', async () => {
  const server = await serve([], { key: 'right' })

  const failure = await askInVain(modelAt(server.url, { apiKey: 'wrong-key-12345' }))

  expect(failure).toMatchObject({ code: 'credential', details: { status: 401 } })
  expect(failure.message).toBe(
    `test-arm: ${server.url}/chat/completions answered 401: Incorrect API key provided: [key]. ` +
      'Set or correct the key of this arm: `api_key` in config.toml.',
  )
})

test('a server that is not there is named', async () => {
  const socket = createServer().listen(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  await new Promise((resolve) => socket.close(resolve))

  const failure = await askInVain(modelAt(`http://127.0.0.1:${port}/v1`))

  expect(failure).toMatchObject({
    code: 'model-unavailable',
    message: `test-arm: cannot connect to http://127.0.0.1:${port}/v1: connection refused: no program listens on port ${port}. Start the server or correct the address; \`covey doctor\` lists the servers that answer on this machine.`,
  })
})

const BEGUN =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 1000\r\n\r\n' +
  'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'

test.each([
  ['before a word of it, as a server of https does', '', /server; if it serves https, begin the address/],
  ['in the middle', BEGUN, /log of the server\.$/],
])('a connection that is closed %s is said to be lost, with what to do', async (_, begun, hint) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(begun))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`

  const failure = await askInVain(modelAt(url))

  expect(failure.message).toContain(`test-arm: lost the connection to ${url}: the server closed it`)
  expect(failure.message).toMatch(hint)
})

test('a host that does not exist is named', async () => {
  const failure = await askInVain(modelAt('http://no-such-host.invalid/v1'))

  expect(failure.code).toBe('model-unavailable')
  expect(failure.message).toContain('test-arm: cannot connect to http://no-such-host.invalid/v1')
})

test('a conversation longer than the window is an overflow', async () => {
  const server = await serve([], { window: 100 })

  const failure = await askInVain(modelAt(server.url), request({ system: 'x'.repeat(1000) }))

  expect(failure).toMatchObject({ code: 'context-overflow', details: { status: 400 } })
})

test('a redirect is not followed: it would take the key along', async () => {
  const elsewhere = await serve([{ text: 'caught you' }])
  const server = await serve([{ status: 307, body: '', headers: { location: `${elsewhere.url}/x?key=1` } }])

  const failure = await askInVain(modelAt(server.url, { apiKey: 'secret-key-1' }))

  expect(failure.code).toBe('request-invalid')
  expect(failure.message).toContain(`redirects to ${elsewhere.url}/x. Use that as base URL.`)
  expect(elsewhere.requests).toEqual([])
})
