/**
 * What a person reads when a tool host has started: where it is, what it may do, who may use it, and the line for
 * that.
 */
import { isLoopback } from '../http/exposure.ts'
import type { Address } from '../http/listen.ts'

export type ToolHostFacts = {
  readonly version: string
  /** As they were really bound. */
  readonly addresses: readonly Address[]
  readonly tools: readonly string[]
  readonly workspaces: readonly string[]
  readonly rules: string
  /** Paired machines that may run tools here, as people tell them apart. */
  readonly peers: readonly string[]
  /** What a paired machine writes for this one. */
  readonly peerUrl: string
  /** No token exists: only paired machines may connect. */
  readonly isKeysOnly: boolean
  readonly isAuthOff: boolean
  /** Only at the first start: it is shown this once. */
  readonly firstToken?: string
}

export function renderToolHostBanner(facts: ToolHostFacts): string {
  const { version, addresses, tools, workspaces, rules, isKeysOnly } = facts
  const places = addresses.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  const where = places.map((place) => (isKeysOnly ? `${place} (TLS only)` : `http://${place}`))
  const lines = [
    `covey ${version} runs tools for others on ${where.join(' and ')}`,
    `  tools    ${tools.join(', ') || 'none'}`,
    `  folders  ${workspaces.join(', ')}`,
    `  rules    ${rules}`,
    `  peers    ${peersLine(facts)}`,
    ...tokenLines(facts),
    '',
    'To paste:',
    ...pasteLines(facts, `http://${places[0] ?? ''}`),
    '',
    'Ctrl+C ends it.',
  ]
  return `${lines.join('\n')}\n`
}

const ALLOW = '`covey peers scope NAME generate,status,tools`'

function peersLine(facts: ToolHostFacts): string {
  const { peers } = facts
  if (peers.length === 0) return `no paired machine may; ${ALLOW} allows one`
  const reach = isHereOnly(facts) ? ', once --host ADDRESS opens it to them' : ''
  return `${peers.join(', ')}${reach}; ${ALLOW} allows another`
}

const isHereOnly = ({ addresses }: ToolHostFacts): boolean => addresses.every(({ host }) => isLoopback(host))

function tokenLines({ isAuthOff, isKeysOnly, firstToken }: ToolHostFacts): readonly string[] {
  if (isKeysOnly) return ['  token    none is known, so only paired machines come in']
  if (isAuthOff) return ['  token    none: every program on this machine may use it (--no-auth)']
  if (firstToken === undefined) {
    return ['  token    needed, with the scope tools: `covey token add NAME --scope tools` makes one']
  }
  return ['  token    made now and shown only this once:', '', `export COVEY_TOOL_HOST__TOKEN=${firstToken}`]
}

function pasteLines(facts: ToolHostFacts, url: string): readonly string[] {
  const hasReach = facts.peers.length > 0 && !isHereOnly(facts)
  const forPeers = hasReach ? [`  peer   covey --tool-host ${facts.peerUrl} "prompt"`] : []
  if (facts.isKeysOnly) return forPeers
  return [
    ...forPeers,
    `  covey  covey --tool-host ${url} "prompt"`,
    `  MCP    ${JSON.stringify({ url: `${url}/mcp`, headers: { Authorization: 'Bearer TOKEN' } })}`,
  ]
}
