/** `covey providers`: who could answer here, and who is off and why. Nobody is asked anything but whether it is there. */
import { cleanControl, jsonLine } from '../lib/clean.ts'
import type { ProviderDesk, ProviderInfo } from '../protocol/provider-desk.ts'
import type { Command } from './command.ts'

export type OpenProviders = (env: NodeJS.ProcessEnv, cwd: string) => Promise<ProviderDesk>

export const createProvidersCommand = (open: OpenProviders): Command => ({
  name: 'providers',
  summary: 'Show who could answer: arms, servers found here, agents, machines',
  usage: '',
  options: [{ flags: '--json', description: 'as JSON, for programs' }],
  examples: ['covey providers'],
  async run({ env, cwd, io, options }) {
    const list = await (await open(env, cwd)).list()
    io.out(options['json'] ? jsonLine(list, 2) : list.map(toLine).join(''))
    return 0
  },
})

const toLine = ({ id, kind, tier, isOn, about }: ProviderInfo): string =>
  `${cleanControl(`${isOn ? '✓' : '–'} ${id.padEnd(24)}  ${kind.padEnd(17)}  ${tier.padEnd(5)}  ${about}`)}\n`
