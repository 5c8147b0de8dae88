/** The machines, for the page: this one, its peers, the queue between them, and pairing. */
import { freemem } from 'node:os'
import { toQr } from '../../federation/qr.ts'
import type { FlockView, PageService } from '../../protocol/page.ts'
import { toLanSettings } from '../../config/federation.ts'
import type { FairQueue } from '../../server/http/queue.ts'
import type { AppContext } from '../open.ts'
import type { openPeers } from '../peers.ts'

type Peers = ReturnType<typeof openPeers>

export type FlockParts = {
  readonly context: Pick<AppContext, 'answering' | 'config'>
  readonly queue: FairQueue
  /** Opened for each request: pairing changes files. */
  openPeers(): Promise<Peers>
  toolHosts(): Promise<FlockView['toolHosts']>
}

type FlockService = Pick<PageService, 'flock' | 'invite' | 'join' | 'removePeer'>

export function flockService({ context, queue, openPeers, toolHosts }: FlockParts): FlockService {
  return {
    async flock() {
      const [paired, jobs, hosts] = await Promise.all([
        openPeers().then(pairedOf),
        context.answering.flock?.queue().catch(() => undefined),
        toolHosts(),
      ])
      return { ...viewOf(context, queue), paired, toolHosts: hosts, ...(jobs && { queue: jobs }) }
    },
    async invite() {
      const { code, addresses, isServing } = await (await openPeers()).invite()
      const modules = toQr(code)
      const qr = modules?.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
      return { code, addresses, isServing, ...(qr && { qr }) }
    },
    async join(code, signal) {
      const { id, name } = await (await openPeers()).join(code, signal)
      return { id, name }
    },
    async removePeer(id) {
      await (await openPeers()).remove(id)
    },
  }
}

const pairedOf = async (peers: Peers): Promise<FlockView['paired']> =>
  (await peers.list()).map(({ id, name, scopes }) => ({ id, name, scopes: [...scopes] }))

function viewOf(
  { answering, config }: FlockParts['context'],
  queue: FairQueue,
): Omit<FlockView, 'paired' | 'queue' | 'toolHosts'> {
  const { flock } = answering
  const health = flock?.health()
  const { active, waiting } = queue.state()
  const own = answering.arms().filter(({ id }) => !id.startsWith('peer/'))
  return {
    isEnabled: flock !== undefined,
    self: {
      name: toLanSettings(config.federation).name,
      running: active,
      waiting,
      freeMemory: freemem(),
      models: own.map(({ id }) => id),
      ...(health?.id !== undefined && { id: health.id }),
      ...(health?.listening && { listening: `${health.listening.address} (${health.listening.why})` }),
    },
    ...(health?.problem !== undefined && { problem: health.problem }),
    peers: flock?.peers() ?? [],
    strangers: health?.strangers ?? [],
    swarm: { mode: config.swarm.mode, workers: config.swarm.workers },
  }
}
