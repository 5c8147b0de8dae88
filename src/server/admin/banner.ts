/** What a person reads when the server has started: where it is, who answers, where tools run, and lines to paste. */
import type { Address } from '../http/listen.ts'

export type BannerFacts = {
  readonly version: string
  /** As they were really bound. */
  readonly addresses: readonly Address[]
  readonly models: readonly string[]
  /** Where tools run and what may happen there without a question, in words. */
  readonly workspace: string
  /** Where other machines are let in and why there, in words. */
  readonly peers?: string
  readonly isAuthOff: boolean
  /** Only at the first start: it is shown this once. */
  readonly firstToken?: string
}

export function renderBanner(facts: BannerFacts): string {
  const urls = facts.addresses.map(toUrl)
  const base = `${urls[0] ?? ''}/v1`
  const [model = 'covey/auto'] = facts.models
  const lines = [
    `covey ${facts.version} listens on ${urls.join(' and ')}`,
    `  models  ${facts.models.join(', ') || 'none'}`,
    `  tools   ${facts.workspace}`,
    ...(facts.peers === undefined ? [] : [`  peers   ${facts.peers}`]),
    ...tokenLines(facts),
    '',
    'To paste:',
    `  openai SDK  OPENAI_BASE_URL=${base} OPENAI_API_KEY=$COVEY_TOKEN`,
    `  opencode    ${JSON.stringify(opencodeProvider(base, model))}`,
    `  Continue    { name: Covey, provider: openai, model: ${model}, apiBase: "${base}", apiKey: TOKEN }`,
    '  browser     covey web',
    `  terminal    covey --attach ${urls[0] ?? ''} "prompt"`,
    '',
    'Ctrl+C ends it.',
  ]
  return `${lines.join('\n')}\n`
}

export function toUrl({ host, port }: Address): string {
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`
}

function tokenLines({ isAuthOff, firstToken }: BannerFacts): readonly string[] {
  if (isAuthOff) return ['  token   none: every program on this machine may use it (--no-auth)']
  if (firstToken === undefined)
    return ['  token   needed; `covey token add NAME` makes one, `covey token ls` lists them']
  return ['  token   made now and shown only this once:', '', `export COVEY_TOKEN=${firstToken}`]
}

const opencodeProvider = (baseURL: string, model: string) => ({
  covey: {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL, apiKey: '{env:COVEY_TOKEN}' },
    models: { [model]: {} },
  },
})
