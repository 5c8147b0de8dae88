/**
 * The right to ask an arm once, as the right to ask it several times and let its answers be voted on. Workers of a
 * local arm share its engine and are asked in turn, so that it reads the prompt once; an arm that serves many is asked
 * all at once. Each other machine is one worker with one ballot, also where the arm itself is on one.
 */
import type { Lease, Reserve } from '../protocol/arm.ts'
import type { Authorize } from '../protocol/guard.ts'
import type { Model } from '../protocol/model.ts'
import type { CheckContext, Tool } from '../protocol/tool.ts'
import { createDryRun } from './dry-run.ts'
import { birdNames } from './names.ts'
import { createSwarmModel, type SwarmOptions, usualPolicy } from './swarm.ts'
import { type TrialParts, withTrial } from './trial.ts'
import { toVotingTools } from './voting-tools.ts'
import type { Worker } from './worker.ts'

/** Another machine that answers the same request: its id, its name, and the model it is asked for. */
export type Elsewhere = { readonly machine: string; readonly name: string; readonly model: Model }

export type SwarmSettings = Pick<SwarmOptions, 'policy' | 'arbiter'> & {
  readonly workers: number
  /** Who else answers what this arm is asked. */
  readonly elsewhere?: (arm: string) => readonly Elsewhere[]
}

/** What the calls of one session mean and may reach. */
type SwarmSession = {
  tools(): readonly Tool[]
  readonly files: CheckContext['files']
  readonly authorize: Authorize
  readonly understand?: SwarmOptions['understand']
  /** The same model behind the firewall of the session. Absent: only the arm itself is asked. */
  readonly guarded?: (model: Model) => Model
  /** Runs the project's checks on what a candidate would change; absent = parsing it is all that is done. */
  readonly trial?: TrialParts
}

/** Whatever arm a session reserves, several answers of it are voted on. */
export function throughSwarm({
  elsewhere,
  arbiter,
  ...settings
}: SwarmSettings): (reserve: Reserve, session: SwarmSession) => Reserve {
  return (reserve, session) => {
    const names = birdNames(settings.workers)
    const reading = createDryRun(session)
    const { files, understand, guarded, trial } = session
    const inspection = {
      root: files.root,
      ...(understand && { understand }),
      ...(arbiter && guarded && { arbiter: { ...arbiter, model: guarded(arbiter.model) } }),
    }
    const tools = () => toVotingTools(session.tools())
    return async (request, signal) => {
      const lease = await reserve({ ...request, stays: true }, signal)
      const others = guarded ? (elsewhere?.(lease.arm.id) ?? []) : []
      return withSwarm(lease, {
        names,
        ...settings,
        ...inspection,
        // Anew for each: what the checks say of the workspace holds for one vote.
        dryRun: trial ? withTrial(reading, trial) : reading,
        tools,
        elsewhere: others.map((other) => ({ ...other, model: guarded?.(other.model) ?? other.model })),
      })
    }
  }
}

type LeaseSwarm = Omit<SwarmOptions, 'name' | 'workers'> & {
  readonly workers: number
  readonly names?: readonly string[]
  /** Behind a firewall already. */
  readonly elsewhere?: readonly Elsewhere[]
}

export function withSwarm(lease: Lease, swarm: LeaseSwarm): Lease {
  const { workers: count, names, elsewhere = [], arbiter, ...options } = swarm
  const judge = arbiterFor(lease, arbiter)
  const others = othersThan(lease, elsewhere).filter(({ machine }) => machine !== judge?.machine)
  const workers = toWorkers(lease, others, names ?? birdNames(count))
  const { most = usualPolicy.most } = options.policy ?? {}
  // This machine is not asked more often than it has workers: it would outvote the others by being near.
  const policy = others.length === 0 ? {} : { policy: { ...options.policy, most: Math.min(most, count) } }
  const model = createSwarmModel({
    ...options,
    ...policy,
    name: lease.model.name,
    workers,
    ...(judge && { arbiter: judge }),
  })
  return { ...lease, model }
}

/**
 * Who could not make up its mind as a worker does not decide either, and no machine both votes and decides: it could
 * make the vote fail to have its way.
 */
const arbiterFor = ({ arm, machine }: Lease, arbiter: Worker | undefined): Worker | undefined =>
  arbiter === undefined || arbiter.name === arm.id || (machine && arbiter.machine === machine.id)
    ? undefined
    : arbiter

/** Each once, whatever it is called and however it is reached, and not the one that the lease is of. */
const othersThan = ({ machine }: Lease, elsewhere: readonly Elsewhere[]): readonly Elsewhere[] =>
  elsewhere.filter(
    (other, index) =>
      other.machine !== machine?.id &&
      elsewhere.findIndex(({ machine: id }) => id === other.machine) === index,
  )

/** The arm first, then every other machine once; further workers are samples of the arm, if it is this machine's. */
function toWorkers(lease: Lease, others: readonly Elsewhere[], names: readonly string[]): readonly Worker[] {
  const { machine: home } = lease
  const elsewhere = others.map(({ machine: id, name }) => ({ id, name }))
  const labelOf = labelling(home ? [home, ...elsewhere] : elsewhere)
  const where = home ? labelOf(home) : whereOf(lease)
  const own = (bird: string): Worker => ({
    name: `${bird} (${plain(lease.model.name)}) on ${where}`,
    model: lease.model,
    tellsShares: tellsShares(lease.arm),
    ...(home && { machine: home.id }),
    ...(lease.arm.local && { lane: lease.arm.id }),
  })
  return names.flatMap((bird, index) => {
    const other = others[index - 1]
    if (!other) return index === 0 || !home ? [own(bird)] : []
    const { machine, name, model } = other
    const worker = `${bird} (${plain(model.name)}) on ${labelOf({ id: machine, name })}`
    return [{ name: worker, model, machine, lane: machine }]
  })
}

/** Where a worker of the arm itself runs: a service in the configuration is known by the name it has there. */
const whereOf = ({ arm }: Lease): string => (arm.local ? 'this machine' : `the service ${arm.id}`)

type Named = NonNullable<Lease['machine']>

/**
 * A name is a claim: one that looks like that of another machine, or is more than one plain word and so might pass for
 * "this machine", is followed by a part of the id.
 */
const labelling =
  (all: readonly Named[]) =>
  ({ id, name }: Named): string => {
    const word = plain(name)
    const isAlike = (other: Named) => plain(other.name).toLowerCase() === word.toLowerCase()
    const isShared = all.some((other) => other.id !== id && isAlike(other))
    return isShared || word !== name || TAIL.test(word) ? `${word} ${id.slice(0, 8)}` : word
  }

/** As a part of an id looks. */
const TAIL = /-[0-9a-f]{8}$/i

/** What others call their machines and models, as one word. */
const plain = (name: string): string => name.replaceAll(/[^\w./:@+-]+/g, '-') || 'machine'

/**
 * Where calls are text that we read, every token of them is reported: by our own engine, by servers asked with our
 * prompts, and by local ones, which drop wishes they do not know. Servers that read calls themselves refuse it, or
 * report the rest.
 */
const tellsShares = ({ local, capabilities: { tools } }: Lease['arm']): boolean =>
  tools === 'raw' || (tools === 'text' && local)
