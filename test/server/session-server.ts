/** Real sessions in a real folder, behind a real server. What a run does is played from a list of events. */
import type { LoopEvent } from '../../src/engine/parts.ts'
import type { KeptSession, SessionParts } from '../../src/server/parts.ts'
import {
  createSessionService,
  type SessionServiceOptions,
  type SessionService,
} from '../../src/server/sessions/service.ts'
import { sessionRoutes } from '../../src/server/sessions/routes.ts'
import type { ServerParts } from '../../src/server/server.ts'
import type { StartRun } from '../../src/session/run.ts'
import type { StoredSession } from '../../src/session/store.ts'
import { endOf, playing, runSession, start, testStore, turn } from '../session/support.ts'
import { openTestServer, tempFolder, type TestServer } from './support.ts'

export type SessionServer = TestServer & { readonly service: SessionService; readonly folder: string }

export type SessionServerOptions = {
  readonly folder?: string
  readonly startRun?: StartRun
  readonly service?: SessionServiceOptions
  readonly server?: Partial<ServerParts>
  readonly port?: number
}

export async function openSessionServer(options: SessionServerOptions = {}): Promise<SessionServer> {
  const folder = options.folder ?? (await tempFolder())
  const service = createSessionService(sessionParts(folder, options.startRun ?? talkative), options.service)
  const audit: ServerParts['audit'][] = []
  const routes = sessionRoutes(service, (entry) => audit.at(-1)?.(entry))
  const server = await openTestServer(routes, options.server, options.port)
  audit.push((entry) => void server.audit.push(entry))
  const close = server.server.close.bind(server.server)
  Object.assign(server.server, {
    close: async () => {
      await close()
      await service.close()
    },
  })
  return { ...server, service, folder }
}

export function sessionParts(folder: string, startRun: StartRun): SessionParts {
  const store = testStore(folder)
  const open = (stored: StoredSession): Promise<KeptSession> =>
    runSession(stored, { startRun, list: () => store.list() })
  return {
    create: async () => open(await store.create(start)),
    resume: async (id) => open(await store.open(id, start)),
    look: (id) => store.look(id),
    list: () => store.list(),
  }
}

/** Pieces of text, which no log keeps, between events that it does. */
export const pieces = (count: number): readonly LoopEvent[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'text-delta', text: `piece ${index} · ` }) as const)

export const talkative: StartRun = playing(
  { type: 'routing', arm: 'test', why: 'the only one', window: 8192 },
  ...pieces(30),
  ...turn(1, { role: 'assistant', text: 'All done.', calls: [] }),
)

/** Tells these events, then works until it is cancelled. */
export const unending = (events: readonly LoopEvent[]): StartRun =>
  async function* ({ runId }, signal) {
    yield* events
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    return endOf(runId)
  }
