/** The machines, for the page: this one, its peers, the queue between them, and pairing. */
import { freemem } from 'node:os'
import { toQr } from '../../federation/qr.ts'
import type { Machine } from '../../federation/machine.ts'
import type { FlockPeer, FlockView, JobQueue, PageService } from '../../protocol/page.ts'
import { toLanSettings } from '../../config/federation.ts'
import type { FairQueue } from '../../server/http/queue.ts'
import type { AppContext } from '../open.ts'
import type { openPeers } from '../peers.ts'

type Peers = ReturnType<typeof openPeers>

export type FlockParts = {
  readonly context: Pick<AppContext, 'answering' | 'config' | 'toolsAt' | 'sessions'>
  readonly queue: FairQueue
  /** Opened for each request: pairing changes files. */
  openPeers(): Promise<Peers>
}

type FlockService = Pick<PageService, 'flock' | 'invite' | 'join' | 'removePeer'>

export function flockService({ context, queue, openPeers }: FlockParts): FlockService {
  return {
    async flock() {
      const peers = await openPeers()
      const jobs = await context.answering.flock?.queue().catch(() => undefined)
      return { ...viewOf(context, queue), paired: await pairedOf(peers), ...(jobs && { queue: jobs }) }
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
  { answering, config, toolsAt, sessions }: FlockParts['context'],
  queue: FairQueue,
): Omit<FlockView, 'paired' | 'queue'> & { readonly queue?: JobQueue } {
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
    peers: flock?.machines().map(toPeer) ?? [],
    strangers: health?.strangers ?? [],
    tools: toolsAt ?? sessions.root,
    swarm: { mode: config.swarm.mode, workers: config.swarm.workers },
  }
}

function toPeer(machine: Machine): FlockPeer {
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
      ...(decode !== undefined && { tokensPerSecond: decode }),
    })),
  }
}
