/** What becomes of the connection to a model server once it has answered. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ask, modelAt, serve } from './ask.ts'

const ANSWER =
  'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n' +
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n' +
  'data: [DONE]\n\n'

const TOLD = [
  { type: 'text-delta', text: 'hi' },
  { type: 'finish', reason: 'stop' },
]

/** Answers by hand, and knows by which connections it was asked. */
async function serveBy(answer: (response: ServerResponse) => void) {
  const ports: (number | undefined)[] = []
  const server = createServer((incoming, response) => {
    ports.push(incoming.socket.remotePort)
    incoming.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, ports }
}

test('a connection is used again, also where the server ends its answer a moment after [DONE]', async () => {
  const server = await serveBy((response) => {
    response.write(ANSWER)
    setTimeout(() => response.end(), 1)
  })
  const model = modelAt(server.url)

  const isReused = () => new Set(server.ports).size < server.ports.length
  for (let asked = 0; asked < 50 && !isReused(); asked++) {
    expect(await ask(model)).toEqual(TOLD)
    await delay(10)
  }

  expect(isReused()).toBe(true)
})

test('a server that never ends its answer after [DONE] is left', async () => {
  const server = await serve([{ text: 'hi', fault: 'hang-after-done' }])

  await ask(modelAt(server.url))

  await server.clientGone
})

test('a byte order mark is no part of the answer, and a character may come in two packets', async () => {
  const bytes = Buffer.from(`\u{feff}${ANSWER.replace('hi', 'Größe 🐑')}`)
  const cut = bytes.indexOf('🐑') + 2
  const server = await serveBy((response) => {
    response.write(bytes.subarray(0, cut))
    setTimeout(() => response.end(bytes.subarray(cut)), 20)
  })

  const events = await ask(modelAt(server.url))

  expect(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('Größe 🐑')
})
