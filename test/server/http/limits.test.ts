/** Clients that take their time: a head or a body that never ends costs a connection for a while, nothing more. */
import { expect, test } from 'vitest'
import { openTestServer, rawClient, testRoutes } from '../support.ts'
import { until } from '../../support/wait.ts'

const limits = { headersMs: 100, requestMs: 200, checkEveryMs: 20 }

test('a head that comes a byte at a time is ended', async () => {
  const open = await openTestServer(testRoutes(), { limits })
  const { socket, closed } = await rawClient(open.port)
  const drip = setInterval(() => socket.write('x'), 10)
  socket.write('GET /echo HTTP/1.1\r\nhost: localhost\r\nx-')

  await closed
  clearInterval(drip)
  await until(() => open.audit.length > 0)

  // What the server answered may be lost to a client that goes on sending: the next test reads it.
  expect(open.audit).toMatchObject([{ what: 'refused', why: 'The request did not arrive in time.' }])
})

test('a body that never comes is ended', async () => {
  const open = await openTestServer(testRoutes(), { limits })
  const { socket, read, closed } = await rawClient(open.port)

  socket.write(
    `POST /echo HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${open.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  )
  await closed

  expect(read()).toMatch(/^HTTP\/1\.1 408/)
})

test('two hundred stalled clients keep no other client out', async () => {
  const open = await openTestServer(testRoutes())
  for (let index = 0; index < 200; index++) {
    const { socket } = await rawClient(open.port)
    socket.write('GET /echo HTTP/1.1\r\nhost: loc')
  }

  const reply = await open.ask()

  expect(reply.status).toBe(200)
})

test('a client that leaves in the middle of its body is forgotten', async () => {
  const handled: string[] = []
  const open = await openTestServer(testRoutes(handled))
  const { socket } = await rawClient(open.port)
  socket.write(
    `POST /echo HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${open.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"text":`,
  )

  socket.destroy()
  await until(() => open.logged() !== '')

  expect(handled).toEqual([])
  expect((await open.ask()).status).toBe(200)
})

test('both addresses of loopback are bound, on one port', async () => {
  const open = await openTestServer(testRoutes())

  const replies = await Promise.all(
    [`http://127.0.0.1:${open.port}`, `http://[::1]:${open.port}`].map((url) =>
      fetch(`${url}/echo`, { headers: { 'x-api-key': open.token } }),
    ),
  )

  expect(replies.map(({ status }) => status)).toEqual([200, 200])
})
