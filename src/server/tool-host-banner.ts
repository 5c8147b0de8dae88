/** What a person reads when a tool host has started: where it is, what it may do, and the line for another machine. */
import type { Address } from './listen.ts'

export type ToolHostFacts = {
  readonly version: string
  /** As they were really bound. */
  readonly addresses: readonly Address[]
  readonly tools: readonly string[]
  readonly workspaces: readonly string[]
  readonly rules: string
  readonly isAuthOff: boolean
  /** Only at the first start: it is shown this once. */
  readonly firstToken?: string
}

export function renderToolHostBanner(facts: ToolHostFacts): string {
  const urls = facts.addresses.map(
    ({ host, port }) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
  )
  const lines = [
    `covey ${facts.version} runs tools for others on ${urls.join(' and ')}`,
    `  tools    ${facts.tools.join(', ') || 'none'}`,
    `  folders  ${facts.workspaces.join(', ')}`,
    `  rules    ${facts.rules}`,
    ...tokenLines(facts),
    '',
    'To paste:',
    `  covey  covey --tool-host ${urls[0] ?? ''} "prompt"`,
    `  MCP    ${JSON.stringify({ url: `${urls[0] ?? ''}/mcp`, headers: { Authorization: 'Bearer TOKEN' } })}`,
    '',
    'Ctrl+C ends it.',
  ]
  return `${lines.join('\n')}\n`
}

function tokenLines({ isAuthOff, firstToken }: ToolHostFacts): readonly string[] {
  if (isAuthOff) return ['  token    none: every program on this machine may use it (--no-auth)']
  if (firstToken === undefined) {
    return ['  token    needed, with the scope tools: `covey token add NAME --scope tools` makes one']
  }
  return ['  token    made now and shown only this once:', '', `export COVEY_TOOL_HOST__TOKEN=${firstToken}`]
}
