/** An answer as it arrives: nothing is lost, nothing piles up, and a cancel does not wait. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { Arrival } from '../../src/provider/arrival.ts'

const never = new AbortController().signal

/** Asks by one connection only. */
async function serveBy(listener: RequestListener) {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agent = new Agent({ connections: 1 })
  onTestFinished(async () => {
    await agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return (signal: AbortSignal = never): Arrival => {
    const arrival = new Arrival(signal)
    agent.dispatch({ origin, path: '/', method: 'GET' }, arrival)
    return arrival
  }
}

async function readAll(arrival: Arrival): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for (let chunk = await arrival.next(); chunk; chunk = await arrival.next()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('has a status, a type and a body, and nothing after its end', async () => {
  const ask = await serveBy((_, response) => {
    response.writeHead(418, 'Teapot', { 'content-type': 'text/tea' })
    response.write('a')
    response.end('b')
  })

  const arrival = ask()
  const { status, statusText, type } = await arrival.begun

  expect([status, statusText, type]).toEqual([418, 'Teapot', 'text/tea'])
  expect((await readAll(arrival)).toString()).toBe('ab')
  expect(await arrival.next()).toBeUndefined()
})

test('that is not read waits at the server, and is whole when it is read', async () => {
  const size = 32 * 1024 * 1024
  let isSent = false
  const ask = await serveBy(
    (_, response) => void response.end(Buffer.alloc(size, 'x'), () => (isSent = true)),
  )

  const arrival = ask()
  await arrival.begun
  await delay(200)
  const wasSent = isSent
  const body = await readAll(arrival)

  expect([wasSent, body.length]).toEqual([false, size])
})

test('that breaks off is delivered as far as it came, then fails', async () => {
  const ask = await serveBy((_, response) => {
    response.write('half')
    setTimeout(() => response.destroy(), 20)
  })

  const arrival = ask()
  await arrival.begun
  const first = await arrival.next()

  expect(Buffer.from(first ?? []).toString()).toBe('half')
  await expect(arrival.next()).rejects.toThrow('other side closed')
})

test('is left at once by who cancels: in the middle, and before there is a connection for it', async () => {
  let asked = 0
  const ask = await serveBy((_, response) => {
    asked++
    response.write('and so on')
  })
  const [stop, stopWaiting] = [new AbortController(), new AbortController()]
  const held = ask(stop.signal)
  await held.begun
  const waiting = ask(stopWaiting.signal)

  stopWaiting.abort(new Error('no patience'))
  await expect(waiting.begun).rejects.toThrow('no patience')
  await held.next()
  const next = held.next()
  stop.abort(new Error('enough'))
  await expect(next).rejects.toThrow('enough')

  expect(asked).toBe(1)
})

test('that was left whole frees its connection, also where its end comes later', async () => {
  const ports = new Set<number | undefined>()
  const ask = await serveBy((request, response) => {
    ports.add(request.socket.remotePort)
    response.write('all there is')
    setTimeout(() => response.end(), 20)
  })

  for (let asked = 0; asked < 3; asked++) {
    const arrival = ask()
    await arrival.begun
    await arrival.next()
    arrival.leave(true)
  }

  expect(ports.size).toBe(1)
})
