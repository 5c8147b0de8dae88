/**
 * Handles requests of peers: pairs with a machine that knows the secret of an invitation, reports its state, answers
 * with its own models. Everything else is refused, and a peer is never passed on to another peer.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { toAddress } from './dial.ts'
import { type Invites, isSameProof } from './invites.ts'
import type { Identity } from './identity.ts'
import { type PeerRequest, sendJson } from './listener.ts'
import type { Offer } from './machine.ts'
import { generateAsk, type GenerateLine, pairAsk, reportAsk, versionIn } from './messages.ts'
import type { PeerBook, PeerScope } from './peer-book.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL, proofOf } from './proof.ts'
import type { LanTiming } from './timing.ts'
import { toWireEvent, toWireFailure, WIRE_VERSION } from './wire.ts'

export type PeerHandlerParts = {
  readonly identity: Identity
  readonly name: string
  readonly book: PeerBook
  readonly invites: Invites
  readonly offer: Offer
  readonly timing: LanTiming
  /** A paired machine was heard, and where it listens itself if it said so. */
  heard(peer: string, address: string | undefined): void
}

export type PeerHandler = {
  isPaired(peer: string): Promise<boolean>
  allowance(peer: string, path: string): Promise<number>
  handle(incoming: PeerRequest): Promise<void>
}

type Service = {
  /** Absent: for those who are not paired yet, too. */
  readonly scopes?: readonly PeerScope[]
  readonly maxBytes: number
  serve(incoming: PeerRequest, parts: PeerHandlerParts): Promise<void>
}

const services: Readonly<Record<string, Service>> = {
  '/pair': { maxBytes: 4_096, serve: pair },
  '/report': { scopes: ['status', 'generate'], maxBytes: 1_024, serve: report },
  '/generate': { scopes: ['generate'], maxBytes: 32 * 2 ** 20, serve: generate },
}

/** Requests of one peer at the same time; what is beyond has to wait there. */
const MAX_AT_ONCE = 32

export function createPeerHandler(parts: PeerHandlerParts): PeerHandler {
  const served = new Map<string, number>()
  const count = (peer: string, change: number) => served.set(peer, (served.get(peer) ?? 0) + change)
  return {
    isPaired: async (peer) => (await parts.book.find(peer)) !== undefined,
    async allowance(peer, path) {
      const service = serviceAt(path)
      if (!service?.scopes) return service?.maxBytes ?? 0
      const paired = await parts.book.find(peer)
      return service.scopes.some((scope) => paired?.scopes.includes(scope)) ? service.maxBytes : 0
    },
    async handle(incoming) {
      const { peer, path, body, response } = incoming
      if (versionIn(body) !== WIRE_VERSION) return sendJson(response, 409, { version: WIRE_VERSION })
      if ((served.get(peer) ?? 0) >= MAX_AT_ONCE) return sendJson(response, 429, { version: WIRE_VERSION })
      count(peer, 1)
      try {
        await serviceAt(path)?.serve(incoming, parts)
      } finally {
        if (count(peer, -1).get(peer) === 0) served.delete(peer)
      }
    },
  }
}

const serviceAt = (path: string): Service | undefined =>
  Object.hasOwn(services, path) ? services[path] : undefined

async function pair({ peer, body, socket, response }: PeerRequest, parts: PeerHandlerParts): Promise<void> {
  const asked = pairAsk.safeParse(body)
  if (!asked.success) return sendJson(response, 403, { version: WIRE_VERSION })
  const { tag, name, proof, port } = asked.data
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0))
  let own = ''
  const outcome = await parts.invites.redeem(tag, (key) => {
    const pairing = { key, joiner: peer, inviter: parts.identity.id, exporter }
    own = proofOf('inviter', pairing)
    return isSameProof(proof, proofOf('joiner', pairing))
  })
  if (outcome !== 'ok') return sendJson(response, 403, { version: WIRE_VERSION })
  const address = addressOf(socket.remoteAddress, port)
  await parts.book.add({ id: peer, name, addresses: address === undefined ? [] : [address] })
  parts.heard(peer, address)
  sendJson(response, 200, { version: WIRE_VERSION, name: parts.name, proof: own })
}

const addressOf = (host: string | undefined, port: number | undefined): string | undefined =>
  host === undefined || port === undefined ? undefined : toAddress(host.replace(/^::ffff:/, ''), port)

async function report({ peer, body, socket, response }: PeerRequest, parts: PeerHandlerParts): Promise<void> {
  const asked = reportAsk.safeParse(body)
  if (!asked.success) return sendJson(response, 400, { version: WIRE_VERSION })
  parts.heard(peer, addressOf(socket.remoteAddress, asked.data.port))
  sendJson(response, 200, { version: WIRE_VERSION, report: parts.offer.report() })
}

async function generate(incoming: PeerRequest, parts: PeerHandlerParts): Promise<void> {
  const { body, response, signal } = incoming
  const asked = generateAsk.safeParse(body)
  if (!asked.success) return sendJson(response, 400, { version: WIRE_VERSION })
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const send = (line: GenerateLine) => write(response, line, { signal, patienceMs: parts.timing.stallMs })
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) void send({ beat: true })
  }, parts.timing.beatMs)
  try {
    // So that the caller knows at once that the connection works.
    await send({ beat: true })
    for await (const event of parts.offer.answer(asked.data.model, asked.data.request, signal)) {
      if (signal.aborted) return
      const wire = toWireEvent(event)
      if (wire) await send({ event: wire })
    }
  } catch (error) {
    if (!signal.aborted) await send({ failure: toWireFailure(error) })
  } finally {
    clearInterval(beat)
    response.end()
  }
}

type Reader = { readonly signal: AbortSignal; readonly patienceMs: number }

/** Waits until the other end has taken in what was said before; one that never does is left. */
async function write(
  response: ServerResponse,
  line: GenerateLine,
  { signal, patienceMs }: Reader,
): Promise<void> {
  if (signal.aborted || response.destroyed) return
  if (response.write(`${JSON.stringify(line)}\n`)) return
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  await once(response, 'drain', { signal: limit }).catch(() => response.destroy())
}
