/** `covey providers`: who could answer here, and who is off and why. Servers are asked for their list of models only. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { ProviderService, ProviderInfo } from '../protocol/provider-service.ts'
import { requireAction } from './action.ts'
import { baseUrlOf, baseUrlOption } from './base-url.ts'
import type { Command } from './command.ts'

export type OpenProviders = (
  env: NodeJS.ProcessEnv,
  cwd: string,
  baseUrl?: string,
) => Promise<ProviderService>

export const createProvidersCommand = (open: OpenProviders): Command => ({
  name: 'providers',
  summary: 'List what can answer: arms, local servers, agents, machines',
  usage: '[ls | allow <port>]',
  options: [{ flags: '--json', description: 'as JSON, for programs' }, baseUrlOption],
  examples: ['covey providers', 'covey providers allow 8080'],
  async run({ args, env, cwd, io, options }) {
    const [name = 'ls', ...words] = args
    const service = await open(env, cwd, baseUrlOf(options))
    io.out(await requireAction('providers', actions, name)(service, words, options['json'] === true))
    return 0
  },
})

type Action = (service: ProviderService, words: readonly string[], json: boolean) => Promise<string>

const actions: Readonly<Record<string, Action>> = {
  async ls(service, _words, json) {
    const list = await service.list()
    return json ? jsonLine(list, 2) : list.map(toLine).join('')
  },
  async allow(service, [word = ''], json) {
    const port = Number(word)
    if (!/^\d{1,5}$/.test(word) || port < 1 || port > 65_535) {
      throw new AppError(
        'config-invalid',
        `"${word}" is not a port number from 1 to 65535. \`covey providers\` lists the servers found here.`,
      )
    }
    const owners = await service.allow(port)
    if (json) return jsonLine({ port, owners }, 2)
    return owners.length === 0
      ? `Port ${port} needs no permission: what listens there is yours or the system's.\n`
      : `Port ${port} may be used from now on, served by ${owners.join(' and ')}.\n`
  },
}

const MARKS = { ready: '✓', off: '–', failed: '✗' } as const

const toLine = ({ id, kind, tier, state, about }: ProviderInfo): string =>
  `${cleanControl(`${MARKS[state]} ${id.padEnd(24)}  ${kind.padEnd(17)}  ${tier.padEnd(5)}  ${about}`)}\n`
