/**
 * A way to other machines, as the rest of the program sees it: the local network or a NATS server, one shape for both.
 */
import { toAddress } from './dial.ts'
import type { Hint } from './discovery.ts'
import { type LanFiles, type LanOptions, type Listening, openLan, type ListenAddress } from './lan/open.ts'
import {
  ANY,
  type Machine,
  type MachineReport,
  type MachineState,
  type Offer,
  type Transport,
} from './machine.ts'
import type { JobQueue } from '../protocol/page.ts'
import type { NatsOptions, NatsTransport } from './nats/open.ts'

export type Reachable = {
  readonly address: string
  /** Why there, in words. */
  readonly why: string
}

export interface PeerLink extends Transport {
  readonly id: string
  /** The first free machine, presented as one: for answers any machine may give. Absent without a queue. */
  readonly line?: Machine
  /** Accepts requests of others; undefined without an address they could use. */
  listen(offer: Offer): Promise<Reachable | undefined>
  listening(): Reachable | undefined
  /** Asks everybody how they are. */
  look(): Promise<void>
  /** Machines that announce themselves and are not trusted. */
  strangers(): readonly Hint[]
  /** What keeps machines from being found. */
  problem(): string | undefined
  /** Jobs that wait at the server between the machines; absent without one. */
  queue?(): Promise<JobQueue>
}

export async function openLanLink(options: LanOptions, place: ListenAddress | undefined): Promise<PeerLink> {
  const lan = await openLan(options)
  let at: Reachable | undefined
  return {
    id: lan.id,
    machines: () => lan.machines(),
    async listen(offer) {
      if (place) at = toReachable(await lan.listen(place, offer))
      return at
    },
    listening: () => at,
    look: () => lan.look(),
    strangers: () => lan.strangers(),
    problem: () => lan.problem(),
    close: () => lan.close(),
  }
}

function toReachable({ advertised: [told], host, port }: Listening): Reachable {
  return { address: toAddress(told?.address ?? host, port), why: told?.why ?? 'given by --host' }
}

export type NatsLinkOptions = Omit<NatsOptions, 'offer' | 'isTrusted' | 'node'> & {
  readonly name: string
  /** Who is paired is trusted here, too, as far as its scopes go. */
  readonly files: LanFiles
}

/** An unreachable server is retried; a wrong setting fails at once. */
export async function openNatsLink({ name, files, ...options }: NatsLinkOptions): Promise<PeerLink> {
  const [{ openNatsPatiently }, { withoutPassword }] = await Promise.all([
    import('./nats/patient.ts'),
    import('./nats/connection.ts'),
  ])
  const identity = await files.identity()
  const open = (offer?: Offer) =>
    openNatsPatiently({
      ...options,
      node: { name, identity },
      isTrusted: async (id) => (await files.book.find(id))?.scopes.includes('generate') ?? false,
      ...(offer && { offer }),
    })
  let transport = await open()
  const at = { address: withoutPassword(options.server.url), why: 'through this server' }
  let isListening = false
  return {
    id: identity.id,
    line: lineOf(() => transport),
    machines: () => transport.machines(),
    async listen(offer) {
      await transport.close()
      transport = await open(offer)
      isListening = true
      return at
    },
    listening: () => (isListening ? at : undefined),
    look: async () => {},
    strangers: () => [],
    problem: () => transport.problem(),
    queue: () => transport.queue(),
    close: () => transport.close(),
  }
}

function lineOf(transport: () => NatsTransport): Machine {
  const state = (): MachineState => {
    const seen = transport()
      .machines()
      .map((machine) => machine.state())
    const models = sharedModels(seen.flatMap((one) => (one.state === 'here' ? one.report.models : [])))
    if (models.length === 0) return { state: 'gone', why: 'no two machines have the same model' }
    const report = { name: ANY, waiting: 0, running: 0, freeMemory: 0, models }
    return { state: 'here', report, roundTripMs: 0 }
  }
  return { id: ANY, name: ANY, via: 'nats', state, model: (id) => transport().anyone(id) }
}

type Offered = MachineReport['models'][number]

/** Models of several machines, with the smallest window: every machine must be able to take the request. */
function sharedModels(offered: readonly Offered[]): Offered[] {
  const smallest = new Map<string, Offered>()
  const shared = new Set<string>()
  for (const model of offered.toSorted((one, other) => other.window - one.window)) {
    if (smallest.has(model.id)) shared.add(model.id)
    smallest.set(model.id, model)
  }
  return [...smallest.values()].filter(({ id }) => shared.has(id))
}
