/**
 * `covey peers join`: the side of a pairing that was given the code. It sends nothing before the machine at the address
 * has shown the key that is in the code, and pins that key only after that machine has proven the secret as well.
 */
import { AppError, errorMessage } from '../protocol/error.ts'
import { askJson, dialFirst, toAddress } from './dial.ts'
import type { Identity } from './identity.ts'
import type { InviteCode } from './invite-code.ts'
import { fromSecret, isSameProof } from './invites.ts'
import { pairReply, versionIn } from './messages.ts'
import type { Peer, PeerBook } from './peer-book.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL, proofOf } from './proof.ts'
import type { LanTiming } from './timing.ts'
import { WIRE_VERSION } from './wire.ts'

export type JoinParts = {
  readonly identity: Identity
  readonly name: string
  readonly book: PeerBook
  readonly timing: LanTiming
  /** Where this machine listens itself, if it does. */
  readonly port?: number
}

export async function joinPeer(code: InviteCode, parts: JoinParts, signal: AbortSignal): Promise<Peer> {
  const { identity, name, book, timing, port } = parts
  if (code.id === identity.id) {
    throw new AppError('config-invalid', 'this invitation is from this machine; use it on another one.')
  }
  const { socket, address } = await reach(code, parts, signal)
  const { tag, key } = fromSecret(code.secret)
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0))
  const pairing = { key, joiner: identity.id, inviter: code.id, exporter }
  const proof = proofOf('joiner', pairing)
  const body = { version: WIRE_VERSION, tag, name, proof, ...(port !== undefined && { port }) }
  const answered = await askJson(socket, { path: '/pair', body }, timing.answerMs)
  if (answered.status !== 200) throw refusal(answered.status, answered.body)
  const reply = pairReply.safeParse(answered.body)
  if (!reply.success || !isSameProof(reply.data.proof, proofOf('inviter', pairing))) {
    throw new AppError('permission-denied', 'the other machine does not know the secret; it is not paired.')
  }
  return book.add({ id: code.id, name: reply.data.name, addresses: [address] })
}

/** The first of its addresses that answers. */
function reach(code: InviteCode, { identity, timing }: JoinParts, signal: AbortSignal) {
  const addresses = code.addresses.map((host) => toAddress(host, code.port))
  const dialling = { identity, expected: code.id, timeoutMs: timing.dialMs }
  return dialFirst(addresses, dialling, signal).catch((error: unknown) => {
    throw new AppError(
      'model-unavailable',
      `the inviting machine does not answer (${errorMessage(error)}); run \`covey serve --federation\` there.`,
      { cause: error },
    )
  })
}

function refusal(status: number, body: unknown): AppError {
  const version = versionIn(body)
  if (status === 409 && version !== undefined) {
    const message = `the other machine speaks version ${version}, this one ${WIRE_VERSION}; update the older one.`
    return new AppError('permission-denied', message)
  }
  const why =
    status === 429
      ? 'too many requests of this machine are being answered there; wait a moment, then try again'
      : 'the code is not valid there: it was used, is older than 10 minutes, or was tried 5 times'
  return new AppError('permission-denied', `${why}. \`covey peers invite\` there makes a new one.`)
}
