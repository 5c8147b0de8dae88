/** Streams and clients that the short and the long tests share. */
import { expect } from 'vitest'
import type { StreamPart } from '../../src/server/http/route.ts'
import { openTestServer, rawClient, streamRoute } from './support.ts'
import { until } from '../support/wait.ts'

/** Says nothing until it is stopped. */
export async function* never(signal: AbortSignal): AsyncGenerator<StreamPart> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** A client that cuts the connection once it has this many bytes of the answer; the server must notice and go on. */
export async function vanishingClient(offset: number): Promise<void> {
  let isAborted = false
  let isOver = false
  const open = await openTestServer(
    [
      streamRoute(async function* (signal) {
        signal.addEventListener('abort', () => (isAborted = true))
        try {
          for (let index = 0; ; index++) {
            yield { data: `part ${index}` }
            await new Promise((resolve) => setTimeout(resolve, 1))
          }
        } finally {
          isOver = true
        }
      }),
    ],
    { limits: { streamGraceMs: 1 } },
  )
  const { socket, read } = await rawClient(open.port)
  socket.write(`GET /parts HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${open.token}\r\n\r\n`)
  await until(() => read().length > offset * 7)

  if (offset % 2 === 0) socket.destroy()
  else socket.resetAndDestroy()
  await until(() => isAborted && isOver)

  expect((await open.ask({ path: '/openapi.json' })).status).toBe(200)
  await open.server.close()
}
