/** A server with one file, which can send parts, break off, change the file and answer badly. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEndOfFile } from '../support/cleanup.ts'

export type FileServer = {
  readonly url: URL
  content: Buffer
  etag: string | undefined
  /** The hash it names as Hugging Face does. */
  linked?: string
  /** Behind a part it goes on sending until the client is gone. */
  endless?: boolean
  /** Bytes of the next answers' bodies before the connection is cut; taken one by one. */
  readonly cuts: number[]
  /** Instead of the file, one by one: a status, and headers with it. */
  readonly refusals: { readonly status: number; readonly headers?: Record<string, string> }[]
  ranged: boolean
  /** Without it the length is not told either. */
  sendsLength: boolean
  readonly asked: { readonly range: string | undefined; readonly authorization: string | undefined }[]
  /** Told when an answer begins. */
  onRequest?: (count: number) => void
}

export async function fileServer(content: Buffer, path = '/model.gguf'): Promise<FileServer> {
  const server = createServer((request, response) => answer(state, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => {
    server.closeAllConnections()
    server.close()
  })
  const state: FileServer = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`),
    content,
    etag: '"one"',
    cuts: [],
    refusals: [],
    ranged: true,
    sendsLength: true,
    asked: [],
  }
  return state
}

function answer(state: FileServer, request: IncomingMessage, response: ServerResponse): void {
  const { range, authorization } = request.headers
  state.asked.push({ range, authorization })
  state.onRequest?.(state.asked.length)
  const refusal = state.refusals.shift()
  if (refusal) {
    response.writeHead(refusal.status, refusal.headers).end()
    return
  }
  if (request.url?.endsWith('.gguf') !== true) {
    response.writeHead(404).end()
    return
  }
  const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === state.etag
  const [, first, last] = (state.ranged && isSame && /^bytes=(\d+)-(\d+)$/.exec(range ?? '')) || []
  const body = first === undefined ? state.content : state.content.subarray(Number(first), Number(last) + 1)
  const end = Number(first) + body.length - 1
  response.writeHead(first === undefined ? 200 : 206, {
    ...(state.etag && { etag: state.etag }),
    ...(state.linked && { 'x-linked-etag': `"${state.linked}"` }),
    ...(state.sendsLength && { 'content-length': body.length }),
    ...(first !== undefined && { 'content-range': `bytes ${first}-${end}/${state.content.length}` }),
  })
  // The question how large the file is must not use up a cut.
  const cut = range === 'bytes=0-0' && state.ranged ? undefined : state.cuts.shift()
  if (state.endless && range !== 'bytes=0-0') return sendForEver(response, body)
  if (cut === undefined || cut >= body.length) response.end(body)
  else response.write(body.subarray(0, cut), () => setImmediate(() => response.destroy()))
}

function sendForEver(response: ServerResponse, first: Buffer): void {
  response.write(first)
  const timer = setInterval(() => response.write(first), 1)
  response.on('close', () => clearInterval(timer))
}
