/**
 * Proves knowledge of an invitation's secret, bound to both keys and to this connection: the exporter of TLS is
 * different in every connection and at both ends the same, so a proof seen elsewhere or before proves nothing. Pure.
 */
import { createHmac } from 'node:crypto'

export type Pairing = {
  readonly key: Uint8Array
  readonly joiner: string
  readonly inviter: string
  /** `exportKeyingMaterial` with `EXPORTER_LABEL`. */
  readonly exporter: Uint8Array
}

export const EXPORTER_LABEL = 'EXPORTER-covey-pairing-1'
export const EXPORTER_BYTES = 32

/** The two sides say different things, or each could send back what the other said. */
export const proofOf = (side: 'joiner' | 'inviter', { key, joiner, inviter, exporter }: Pairing): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([side, joiner, inviter, Buffer.from(exporter).toString('hex')]))
    .digest('hex')
