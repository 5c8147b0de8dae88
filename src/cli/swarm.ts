/** `covey swarm status`: who would be asked when several are: how many workers, and on which machines. */
import { AppError } from '../protocol/error.ts'
import type { Command } from './command.ts'
import { type OpenPeers, renderPeers } from './peers.ts'

type SwarmFacts = { readonly mode: string; readonly workers: number; readonly federation: boolean }

export const createSwarmCommand = (
  open: OpenPeers,
  read: (env: NodeJS.ProcessEnv, cwd: string) => Promise<SwarmFacts>,
): Command => ({
  name: 'swarm',
  summary: 'Show which workers a vote asks',
  usage: '[status]',
  examples: ['covey swarm status'],
  async run(context) {
    const { args, env, cwd, io } = context
    const [action = 'status'] = args
    if (action !== 'status') {
      throw new AppError('config-invalid', `unknown action "${action}" of covey swarm; there is status.`)
    }
    const { mode, workers, federation } = await read(env, cwd)
    const hint = mode === 'off' ? '; `--swarm N` or `swarm.mode` switches it on' : ''
    io.out(`swarm: ${mode}, ${workers} workers${hint}\n`)
    if (!federation) {
      io.out('machines: only this one; `federation.enabled = true` asks paired machines, too\n')
      return 0
    }
    io.out(await renderPeers(await open(env, cwd), context))
    return 0
  },
})
