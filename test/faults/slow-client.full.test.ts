import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openTestServer, streamRoute } from '../server/support.ts'
import { eventually } from '../support/wait.ts'

/** One byte a second: the buffer that the socket reads into holds no more. */
function sip(port: number, request: string): void {
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer: Buffer.alloc(1),
      callback: () => {
        socket.pause()
        setTimeout(() => socket.resume(), 1000).unref()
        return true
      },
    },
  })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  socket.write(request)
}

test('a client that reads a byte a second is closed after 2 MiB, and the work for it ends', async () => {
  let sent = 0
  let isOver = false
  const part = { data: 'x'.repeat(64 * 1024) }
  const route = streamRoute(async function* () {
    try {
      for (; sent < 200_000_000; sent += part.data.length) yield part
    } finally {
      isOver = true
    }
  })
  const open = await openTestServer([route], { limits: { streamStallMs: 3000 } })

  sip(
    open.port,
    `GET ${route.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${open.token}\r\n\r\n`,
  )
  await eventually(() => expect(isOver).toBe(true))

  // What the kernel keeps for the socket comes on top of our own 2 MiB.
  expect(sent).toBeLessThan(20_000_000)
  expect(open.logged()).toContain('2048 KiB were waiting and nothing was read')
})
