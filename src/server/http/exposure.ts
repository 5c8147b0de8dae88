/** Who could reach a server at an address, and the names it answers to there. */
import { hostname, networkInterfaces } from 'node:os'
import { AppError } from '../../protocol/error.ts'
import type { Tokens } from './tokens.ts'

export type Exposure = {
  /** Absent = this machine only. */
  readonly host?: string
  readonly isAuthOff: boolean
  /** Whether a machine is let in by its key; absent where none can be. */
  readonly hasPeers?: boolean
}

/** `keys`: no token exists, so only machines known by their key may connect. */
type AuthMode = 'any' | 'keys'

/**
 * Other machines need a token or a key we know, so there has to be one; throws `config-invalid` with the line to type.
 */
export async function requireSafe(
  { host, isAuthOff, hasPeers }: Exposure,
  tokens: Tokens,
  scope: 'chat' | 'tools',
): Promise<AuthMode> {
  if (isLoopback(host)) return 'any'
  if (isAuthOff) {
    throw new AppError(
      'config-invalid',
      `--no-auth is for this machine only, and --host ${host} opens it to others; leave one of them out.`,
    )
  }
  if ((await tokens.list()).length > 0) return 'any'
  if (hasPeers) return 'keys'
  const orPeer =
    hasPeers === undefined
      ? ''
      : ', or let a paired machine in with `covey peers scope NAME generate,status,tools`'
  throw new AppError(
    'config-invalid',
    `--host ${host} opens the server to other machines, and there is no token yet; make one with \`covey token add NAME --scope ${scope}\`${orPeer}, then start again.`,
  )
}

export const isLoopback = (host: string | undefined): boolean =>
  host === undefined || host === 'localhost' || /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/.test(host)

/** Names under which other machines may call: the address given or every one there is, and the name of this machine. */
export function namesOf(host: string | undefined): readonly string[] {
  if (isLoopback(host)) return []
  const isEvery = host === '0.0.0.0' || host === '::' || host === '[::]'
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const addresses = isEvery ? own.map(({ address }) => address) : [host ?? '']
  return [...addresses, hostname(), `${hostname()}.local`]
}
