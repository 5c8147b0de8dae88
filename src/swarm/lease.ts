/**
 * The right to ask an arm once, as the right to ask it several times and let its answers be voted on. Workers of a local arm
 * share its engine and are asked in turn, so that it reads the prompt once; whoever serves many is asked all at once.
 */
import type { Lease, Reserve } from '../protocol/arm.ts'
import type { Authorize } from '../protocol/guard.ts'
import type { CheckContext, Tool } from '../protocol/tool.ts'
import { createDryRun } from './dry-run.ts'
import { birdNames } from './names.ts'
import { createSwarmModel, type SwarmOptions } from './swarm.ts'
import { toVotingTools } from './voting-tools.ts'

type SwarmSettings = Pick<SwarmOptions, 'policy'> & { readonly workers: number }

/** What the calls of one session mean and may reach. */
type SwarmSession = {
  tools(): readonly Tool[]
  readonly files: CheckContext['files']
  readonly authorize: Authorize
  readonly understand?: SwarmOptions['understand']
}

/** Whatever arm a session reserves, several answers of it are voted on. */
export function throughSwarm(settings: SwarmSettings): (reserve: Reserve, session: SwarmSession) => Reserve {
  return (reserve, session) => {
    const names = birdNames(settings.workers)
    const dryRun = createDryRun(session)
    const { files, understand } = session
    const inspection = { dryRun, root: files.root, ...(understand && { understand }) }
    const tools = () => toVotingTools(session.tools())
    return async (request, signal) =>
      withSwarm(await reserve(request, signal), { names, ...settings, ...inspection, tools })
  }
}

type LeaseSwarm = Omit<SwarmOptions, 'name' | 'workers'> & {
  readonly workers: number
  readonly names?: readonly string[]
}

export function withSwarm(lease: Lease, { workers: count, names, ...options }: LeaseSwarm): Lease {
  const workers = (names ?? birdNames(count)).map((name) => ({
    name,
    model: lease.model,
    ...(lease.arm.local && { lane: lease.arm.id }),
  }))
  return { ...lease, model: createSwarmModel({ ...options, name: lease.model.name, workers }) }
}
