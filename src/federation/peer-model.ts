/**
 * A model on another machine. It is asked over a connection of its own: ending that ends the answer there. What comes
 * back is held against the schema line by line; a machine that says anything else, or falls silent, is one that did
 * not answer.
 */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { z } from 'zod'
import { startAwakeTimer } from '../lib/awake-timer.ts'
import { shortHash } from '../lib/hash.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { ask } from './dial.ts'
import { generateLine, readText } from './messages.ts'
import { fromWireFailure, requestSchema, WIRE_VERSION } from './wire.ts'

export type PeerModelParts = {
  /** The name used in its errors. */
  readonly peer: string
  readonly model: string
  readonly stallMs: number
  open(signal: AbortSignal): Promise<TLSSocket>
}

export const createPeerModel = (parts: PeerModelParts): Model => ({
  name: parts.model,
  stream: (request, signal) => answer(parts, request, signal),
})

async function* answer(
  parts: PeerModelParts,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { peer, model, stallMs } = parts
  const body = { version: WIRE_VERSION, model, request: toWireRequest(peer, request) }
  let socket: TLSSocket | undefined
  const end = () => socket?.destroy()
  const silence = new AbortController()
  let isHeldUp = false
  const watchdog = startAwakeTimer(stallMs, () => !isHeldUp && silence.abort())
  const stopped = AbortSignal.any([signal, silence.signal])
  stopped.addEventListener('abort', end, { once: true })
  const send = async (): Promise<IncomingMessage> => {
    socket = await parts.open(stopped)
    return ask(socket, { path: '/generate', body }, stopped)
  }
  try {
    // A program that was stopped in between finds that the other end has hung up meanwhile.
    const response = await send().catch((error: unknown) => {
      end()
      if (stopped.aborted) throw error
      return send()
    })
    if (response.statusCode !== 200) throw refused(response.statusCode)
    const lines = linesOf(response, () => watchdog.again())
    for await (const event of eventsOf(peer, lines)) {
      // A slow reader must not count as silence of the answering machine.
      isHeldUp = true
      yield event
      isHeldUp = false
      watchdog.again()
    }
  } catch (error) {
    if (signal.aborted) return
    throw toFailure(peer, silence.signal.aborted ? `it has said nothing for ${stallMs} ms` : error)
  } finally {
    watchdog.end()
    stopped.removeEventListener('abort', end)
    end()
  }
}

/** Whose session it is stays at home; that two requests are of one session lets a prefix be kept. */
export function toWireRequest(peer: string, request: ModelRequest): z.output<typeof requestSchema> {
  const own = (id: string) => shortHash(`${peer} ${id}`)
  const { task: _, ...rest } = request
  const read = requestSchema.safeParse({
    ...rest,
    runId: own(request.runId),
    sessionId: own(request.sessionId),
  })
  if (read.success) return read.data
  throw new AppError('model-unavailable', `${peer}: the request is too large to send to another machine.`)
}

const refused = (status: number | undefined): Error =>
  new Error(
    status === 403
      ? 'it does not let this machine ask; there, `covey peers scope` says what each peer may do'
      : `it answered ${status ?? 'nothing'}`,
  )

/** A failure of the other machine is not the request's fault: the caller takes another arm. */
function toFailure(peer: string, error: unknown): AppError {
  const isTelling =
    error instanceof AppError && (error.code === 'context-overflow' || error.code === 'rate-limited')
  if (isTelling) return error
  const said = errorMessage(error)
  const message = said.startsWith(`${peer}: `) ? said : `${peer}: ${said}`
  return new AppError('model-unavailable', message, { cause: error })
}

async function* eventsOf(peer: string, lines: AsyncIterable<string>): AsyncGenerator<ModelEvent> {
  let isFinished = false
  for await (const line of lines) {
    const read = generateLine.safeParse(readText(line))
    if (!read.success) throw new Error('what it says is no answer of a model')
    if ('beat' in read.data) continue
    if ('failure' in read.data) throw fromWireFailure(peer, read.data.failure)
    if (isFinished) throw new Error('it goes on after its end')
    isFinished = read.data.event.type === 'finish'
    yield read.data.event
  }
  if (!isFinished) throw new Error('it went away in the middle of its answer')
}

const MAX_LINE = 9 * 2 ** 20
const MAX_ANSWER = 64 * 2 ** 20

async function* linesOf(response: IncomingMessage, heard: () => void): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let held = 0
  let total = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    total += chunk.length
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      heard()
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8')
      parts = []
      held = 0
      from = end + 1
    }
    parts.push(chunk.subarray(from))
    held += chunk.length - from
    if (held > MAX_LINE || total > MAX_ANSWER) throw new Error('it says too much')
  }
}
