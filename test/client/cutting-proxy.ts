/** A proxy that cuts the first connections after so many bytes of the answer, then behaves. */
import { createServer, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type CuttingProxy = { readonly url: string; readonly cuts: () => number; close(): Promise<void> }

export async function cuttingProxy(
  port: number,
  cutAfter: (connection: number) => number | undefined,
): Promise<CuttingProxy> {
  let connections = 0
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const limit = cutAfter(connections++)
    const upstream = connect({ host: '127.0.0.1', port })
    let passed = 0
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (data: Buffer) => {
      const left = limit === undefined ? data.length : Math.max(0, limit - passed)
      passed += data.length
      client.write(data.subarray(0, left))
      if (left >= data.length) return
      cuts++
      client.end()
      upstream.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    cuts: () => cuts,
    close,
  }
}
