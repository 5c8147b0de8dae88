/** How one scripted reply goes out: whole, streamed, or broken in the way its fault says. */
import type { ServerResponse } from 'node:http'
import { toChunks, toCompletion, type ServerReply } from './reply.ts'

export async function sendReply(
  reply: ServerReply,
  request: { readonly [key: string]: unknown },
  response: ServerResponse,
): Promise<void> {
  if (reply.fault === 'hang-before-headers') return
  if (reply.status !== undefined || reply.body !== undefined) return sendRaw(reply, response)
  if (reply.whole || request['stream'] !== true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toCompletion(reply)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers })
  const includeUsage = JSON.stringify(request['stream_options'] ?? {}).includes('"include_usage":true')
  const events = toChunks(reply, includeUsage).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  await (reply.fault ? sendBroken(reply, events, response) : sendWhole(events, response))
}

function sendRaw({ status = 200, body = '', headers }: ServerReply, response: ServerResponse): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, ...headers }).end(text)
}

async function sendWhole(events: readonly string[], response: ServerResponse): Promise<void> {
  for (const event of events) await write(response, event)
  response.end('data: [DONE]\n\n')
}

async function sendBroken(
  { fault }: ServerReply,
  events: readonly string[],
  response: ServerResponse,
): Promise<void> {
  if (fault === 'endless-line') return sendEndlessLine(response)
  if (fault === 'hang-after-done') {
    for (const event of [...events, 'data: [DONE]\n\n']) await write(response, event)
    return
  }
  const half = events.slice(0, Math.ceil(events.length / 2))
  for (const event of half) await write(response, event)
  const next = events[half.length] ?? ''
  if (fault === 'garbage') response.end('data: <<<this is not JSON>>>\n\n')
  if (fault === 'error-in-stream')
    response.end('data: {"error":{"message":"the GPU is on fire","code":500}}\n\n')
  if (fault === 'end-early') response.end()
  if (fault === 'cut-mid-json') response.end(next.slice(0, Math.floor(next.length / 2)))
  if (fault === 'cut-mid-utf8')
    response.end(Buffer.from('data: {"choices":[{"delta":{"content":"é').subarray(0, -1))
  if (fault === 'reset') response.socket?.resetAndDestroy()
}

async function sendEndlessLine(response: ServerResponse): Promise<void> {
  await write(response, 'data: {"choices":[{"delta":{"content":"')
  while (!response.destroyed) await write(response, 'x'.repeat(256 * 1024))
}

/** One event, one write, so that the client sees them apart; waits while the client does not read. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed) return
  if (response.write(text)) return new Promise((resolve) => setImmediate(resolve))
  return new Promise((resolve) => {
    const goOn = () => {
      response.off('drain', goOn).off('close', goOn)
      resolve()
    }
    response.on('drain', goOn).on('close', goOn)
  })
}
