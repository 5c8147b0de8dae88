/**
 * Joins other machines with the rest: their models are arms of the router and workers of the swarm, and this machine's
 * own models are what it offers them.
 */
import { freemem } from 'node:os'
import { toLanSettings } from '../config/federation.ts'
import { toNatsSettings } from '../config/nats.ts'
import type { Config } from '../config/schema.ts'
import { lanFiles } from '../federation/lan/open.ts'
import type { Machine, Offer } from '../federation/machine.ts'
import { openNameBook } from '../federation/nats/name-book.ts'
import { openPeersService } from '../federation/peers-service.ts'
import { createPlacing } from '../federation/placing.ts'
import { openLanLink, openNatsLink, type Reachable, type PeerLink } from '../federation/link.ts'
import { createLogger } from '../lib/log.ts'
import type { Reserve } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { JobQueue, PeerView } from '../protocol/page.ts'
import type { Model } from '../protocol/model.ts'
import { createPeerArms, modelOf, type PeerArms, sharedName } from './peer-arms.ts'
import type { Arm } from '../router/arm.ts'
import type { RouterArm } from '../router/snapshot.ts'
import type { FederationHealth } from '../server/admin/federation.ts'
import type { FairQueue } from '../server/http/queue.ts'
import type { Elsewhere } from '../swarm/lease.ts'
import { NANO_ID } from '../protocol/nano-id.ts'
import { defined } from '../lib/object.ts'

export type Flock = {
  /** One arm per model ever reported by another machine; unreachable ones say so. */
  arms(): readonly RouterArm[]
  /** Settles when each known machine has reported or failed to, which a start does not wait for. */
  readonly firstLook: Promise<void>
  /** What an arm of this id could mean, where several machines have the name in it. */
  sharing(id: string): readonly string[]
  /**
   * One worker of each other machine that is here, and not of the one `arm` is on: the same model, or another one it
   * has.
   */
  elsewhere(arm: string): readonly Elsewhere[]
  /** Single answers go to the machine with this model where the wait is shortest. */
  placed(reserve: Reserve): Reserve
  health(): FederationHealth
  /** The other machines, each once. */
  peers(): readonly PeerView[]
  /** Jobs that wait at the server between the machines; undefined without one. */
  queue(): Promise<JobQueue | undefined>
  /** Lets other machines ask what this one offers; nothing where no address was given for that. */
  listen(own: OwnModels): Promise<Reachable | undefined>
  close(): Promise<void>
}

type OwnModels = { arms(): readonly Arm[]; readonly queue: FairQueue }

/** How long a program that starts waits for peers to say that they are here. */
const FIRST_LOOK_MS = 1_500

/** Asked for only where it is switched on. */
export async function openFlock(
  config: Pick<Config, 'federation' | 'log'>,
  context: PeersContext,
): Promise<Flock> {
  const link = await openLink(config, context)
  const late = new Promise<void>((resolve) => setTimeout(resolve, FIRST_LOOK_MS).unref())
  const firstLook = link.look()
  await Promise.race([firstLook, late]).catch(async (error: unknown) => {
    await link.close()
    throw error
  })
  // A failure after the wait is reported by the state of each machine.
  const settled = firstLook.catch(() => undefined)
  return { ...joinMachines(link, toLanSettings(config.federation).name), firstLook: settled }
}

export type PeersContext = { readonly dataFolder: string; readonly env: NodeJS.ProcessEnv }

async function openLink(
  { federation, log }: Pick<Config, 'federation' | 'log'>,
  { dataFolder, env }: PeersContext,
): Promise<PeerLink> {
  const settings = toLanSettings(federation)
  const { host, port, transport, nats } = federation
  if (transport === 'lan') {
    return openLanLink({ ...settings, dataFolder }, host === undefined ? undefined : { host, port })
  }
  const files = lanFiles(dataFolder)
  const logger = await createLogger({ ...log, verbose: false })
  const names = namesIn(dataFolder)
  return openNatsLink({ ...toNatsSettings(nats, env), name: settings.name, names, files, log: logger })
}

const namesIn = (dataFolder: string) =>
  openNameBook(dataFolder, async (id) => (await lanFiles(dataFolder).book.find(id))?.name)

/** What a person does about other machines, beside a running server or without one. */
export function openPeers(config: Pick<Config, 'federation' | 'server' | 'log'>, context: PeersContext) {
  const { federation, server } = config
  const { dataFolder } = context
  const { host, port, transport, nats } = federation
  const { name, peers, timing } = toLanSettings(federation)
  const service = openPeersService({
    dataFolder,
    name,
    peers,
    timing,
    port,
    ...defined({ host }),
  })
  return {
    ...service,
    ...(transport === 'nats' && {
      list: async () => [...(await service.list()), ...(await trustedByName(nats.trusted, dataFolder))],
    }),
    look: async () => {
      if (transport === 'nats' && federation.enabled) return lookOverNats(config, context)
      return { peers: (await service.look()).map(toPeer) }
    },
    url: `http://127.0.0.1:${server.port ?? API_PORT}`,
  }
}

const API_PORT = 17_615

/** Machines that only the configuration names, called as they were when they were first seen. */
async function trustedByName(trusted: readonly string[], dataFolder: string) {
  const paired = new Set((await lanFiles(dataFolder).book.list()).map(({ id }) => id))
  const names = await namesIn(dataFolder).list()
  return trusted
    .filter((id) => !paired.has(id))
    .map((id) => ({ id, name: names[id] ?? id.slice(0, 8), scopes: ['generate'] as const }))
}

/** Lists the other machines without announcing this one. */
async function lookOverNats(config: Pick<Config, 'federation' | 'log'>, context: PeersContext) {
  const link = await openLink(config, context)
  try {
    const problem = link.problem()
    return { peers: link.machines().map(toPeer), ...defined({ problem }) }
  } finally {
    await link.close()
  }
}

function joinMachines(link: PeerLink, name: string): Omit<Flock, 'firstLook'> {
  const everybody = () => [...link.machines(), ...(link.line ? [link.line] : [])]
  const arms = createPeerArms((id) => everybody().find((machine) => machine.id === id))
  const isLine = (arm: string) => link.line !== undefined && arm === arms.id(link.line, modelOf(arm))
  const others = () => oncePerId(link)
  const place = createPlacing()
  let load = () => ({ waiting: 0, running: 0 })
  return {
    health: () => healthOf(link),
    peers: () => others().map(toPeer),
    queue: async () => link.queue?.(),
    // The first free machine may differ each time and has no cached prefix of the run: it is used only when named.
    arms: () => arms.of(everybody()).map((one) => (isLine(one.arm.id) ? { ...one, enabled: false } : one)),
    sharing: (id) =>
      sharedName(
        id,
        arms.of(everybody()).flatMap((one) => (one.gone === undefined ? [one.arm.id] : [])),
      ),
    elsewhere: (arm) => (isLine(arm) ? [] : others().flatMap((machine) => workerOf(machine, arm, arms))),
    placed: (reserve) => async (request, signal) => {
      const lease = await reserve(request, signal)
      const { excluded, tokens = 0, runId, stays = false } = request
      if (stays) return lease
      const model = modelOf(lease.arm.id)
      const machines = others().filter((machine) => !excluded.includes(arms.id(machine, model)))
      const home = machines.find((machine) => arms.id(machine, model) === lease.arm.id) ?? {
        ...load(),
        ...lease.arm.capabilities.speeds,
      }
      const seen = (machine: Machine) => arms.seen(machine, model)
      const to = place({ model, machines, home, tokens, seen, ...defined({ runId }) })
      const arm = to && arms.find(to, model)
      if (!arm) return lease
      lease.release()
      return arm.lease(`the shortest wait is at ${to.name}`)
    },
    listen(own) {
      load = () => {
        const { active, waiting } = own.queue.state()
        return { waiting, running: active }
      }
      return link.listen(createOffer(name, own))
    },
    close: () => link.close(),
  }
}

/** A machine that is reached in two ways is one machine, and this one is none of the others. */
function oncePerId(link: PeerLink): readonly Machine[] {
  const machines = link.machines()
  return machines.filter(
    ({ id }, index) => id !== link.id && machines.findIndex((other) => other.id === id) === index,
  )
}

function healthOf(link: PeerLink): FederationHealth {
  const listening = link.listening()
  const problem = link.problem()
  return {
    enabled: true,
    id: link.id,
    ...defined({ listening, problem }),
    peers: link.machines().map(toPeer),
    strangers: link.strangers().map(({ id, address }) => ({ id, address })),
  }
}

function toPeer(machine: Machine): PeerView {
  const { id, name, via } = machine
  const state = machine.state()
  if (state.state === 'gone') return { id, name, via, state: 'gone', why: state.why, models: [] }
  const { waiting, running, freeMemory, models } = state.report
  return {
    id,
    name,
    via,
    state: 'here',
    roundTripMs: state.roundTripMs,
    waiting,
    running,
    freeMemory,
    ...(state.heardMs !== undefined && { lastSeenS: Math.round(state.heardMs / 1000) }),
    models: models.map(({ id: model, window, decode }) => ({
      id: model,
      window,
      ...defined({ tokensPerSecond: decode }),
    })),
  }
}

function workerOf(machine: Machine, arm: string, arms: PeerArms): readonly Elsewhere[] {
  const state = machine.state()
  if (state.state === 'gone' || arm === arms.id(machine, modelOf(arm))) return []
  const wanted = modelOf(arm)
  const { models } = state.report
  const others = models.filter(({ id }) => id !== NANO_ID).toSorted((a, b) => b.window - a.window)
  const model = models.find(({ id }) => id === wanted) ?? others[0]
  if (!model) return []
  const asked = arms.find(machine, model.id)?.lease('one of several in a vote').model
  return [{ machine: machine.id, name: machine.name, model: asWorker(asked ?? machine.model(model.id)) }]
}

/** Another machine's window is its own affair: that it is too small there says nothing about the request here. */
const asWorker = (model: Model): Model => ({
  name: model.name,
  async *stream(request, signal) {
    try {
      yield* model.stream(request, signal)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'context-overflow') throw error
      throw new AppError('model-unavailable', error.message, { cause: error })
    }
  },
})

/**
 * Only what runs on this machine or its servers: a peer's request is never passed to another peer, and never costs
 * money.
 */
function createOffer(name: string, { arms, queue }: OwnModels): Offer {
  const offered = () => arms().filter((arm) => arm.profile().local)
  return {
    report() {
      const { active, waiting } = queue.state()
      const models = offered().map((arm) => {
        const { window, vision, speeds } = arm.profile().capabilities
        return { id: arm.id, window, vision, ...speeds }
      })
      return { name, waiting, running: active, freeMemory: freemem(), models: models.slice(0, MAX_OFFERED) }
    },
    async *answer(model, request, signal) {
      const arm = offered().find(({ id }) => id === model)
      if (!arm) throw new AppError('request-invalid', `the model "${model}" is not offered here.`)
      const place = queue.enter({ model, client: 'peers' })
      const lease = arm.lease('asked by a peer')
      try {
        for await (const _ of place.positions(signal)) continue
        yield* lease.model.stream(request, signal)
        lease.commit(undefined)
      } catch (error) {
        lease.release(error)
        throw error
      } finally {
        place.leave()
      }
    },
  }
}

const MAX_OFFERED = 200
