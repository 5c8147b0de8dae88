/** The long ones: clients that vanish at many places, a thousand streams at once, random bytes. */
import { expect, test } from 'vitest'
import { watchThroughCuts } from '../client/reconnect.ts'
import { never, vanishingClient } from './streams.ts'
import { openTestServer, rawClient, streamRoute, testRoutes } from './support.ts'
import { until } from '../support/wait.ts'
import { runs } from '../support/runs.ts'

test('a client may vanish anywhere', async () => {
  for (let offset = 0; offset < 200; offset += runs(3, 1)) await vanishingClient(offset)
})

test('events come once and in order, wherever the line is cut', async () => {
  const STEP = runs(120, 30)
  let cuts = 0
  for (let offset = 100; offset < 6_100; offset += STEP) cuts += await watchThroughCuts(offset)

  expect(cuts).toBeGreaterThan(6_000 / STEP)
})

test('a thousand streams are held at once, none costs more than 40 kB, and none is left over', async () => {
  let running = 0
  const open = await openTestServer(
    [
      streamRoute(async function* (signal) {
        running++
        yield { data: 'here' }
        yield* never(signal)
        running--
      }),
      ...testRoutes(),
    ],
    { limits: { closeMs: 3_000 } },
  )
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const clients = await Promise.all(Array.from({ length: 1_000 }, () => rawClient(open.port)))
  for (const { socket } of clients) {
    socket.write(`GET /parts HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${open.token}\r\n\r\n`)
  }
  await until(() => clients.every(({ read }) => read().includes('data: here')))
  globalThis.gc?.()
  const held = process.memoryUsage().heapUsed - before
  const reply = await open.ask()

  for (const { socket } of clients) socket.destroy()
  await until(() => running === 0)

  expect(reply.status).toBe(200)
  // Both ends of every connection live in this process.
  expect(held / 1_000).toBeLessThan(2 * 40_000)
})

test('thousands of random heads get an answer or a closed line, and the server lives', async () => {
  const open = await openTestServer(testRoutes())
  let seed = 7
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  const lines = [
    'GET /echo HTTP/1.1',
    'POST /echo HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${open.token}`,
  ]
  const more = [
    'content-length: -1',
    'content-length: 5',
    'transfer-encoding: chunked',
    'x: \u0000',
    '',
    'expect: 100-continue',
  ]

  for (let round = 0; round < runs(40, 200); round++) {
    const clients = await Promise.all(Array.from({ length: 50 }, () => rawClient(open.port)))
    for (const { socket } of clients) {
      const parts = [...lines, ...more].filter(() => random() < 0.5).toSorted(() => random() - 0.5)
      socket.write(Buffer.from(`${parts.join('\r\n')}\r\n\r\n{"a":1}`, 'latin1'))
      socket.end()
    }
    await Promise.all(clients.map(({ closed }) => closed))
  }

  expect((await open.ask()).status).toBe(200)
})
