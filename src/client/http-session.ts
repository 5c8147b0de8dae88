/**
 * A session on a server, used like one in this process: a caller cannot tell the difference. Only
 * `events` is more than a call, see `events.ts`.
 */
import { AppError } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import type { SessionApi, SessionInfo } from '../protocol/session-api.ts'
import { call, type CallOptions, type Remote } from './call.ts'
import { followEvents, type FollowOptions } from './events.ts'
import { defined } from '../lib/object.ts'

export type HttpSessionOptions = Remote & {
  /** Absent = a new one. */
  readonly id?: string
  readonly reconnect?: FollowOptions['reconnect']
  readonly onLine?: FollowOptions['onLine']
}

export type HttpSession = SessionApi & {
  /** Gives the session free on the server; what was said is kept there. */
  close(): Promise<void>
}

export async function createHttpSession(options: HttpSessionOptions): Promise<HttpSession> {
  const id = options.id ?? (await createOn(options))
  const path = `/v1/sessions/${encodeURIComponent(id)}`
  const ask = (where: string, more?: CallOptions) => call(options, where, more)
  const post = async (what: string, body?: unknown) => {
    const response = await ask(`${path}/${what}`, { method: 'POST', ...defined({ body }) })
    return (await response.json()) as unknown
  }
  /** Watchers that are not connected yet; what a prompt sets off must not happen before they are. */
  const connecting = new Set<Promise<unknown>>()
  return {
    id,
    async history() {
      const { messages } = (await (await ask(path)).json()) as { messages: readonly Message[] }
      return messages
    },
    async prompt(input, promptOptions = {}) {
      await Promise.all(connecting)
      return (await post('prompt', { prompt: input, options: promptOptions })) as { runId: string }
    },
    cancel: async () => void (await post('cancel')),
    answer: async (askId, answer) => void (await post('answer', { askId, answer })),
    command: async (name, argument) => void (await post('command', { name, ...defined({ argument }) })),
    events({ after, signal }) {
      const { events, connected } = followEvents({
        remote: options,
        path: `${path}/events`,
        signal,
        ...defined({ after, reconnect: options.reconnect, onLine: options.onLine }),
      })
      connecting.add(connected)
      void connected.finally(() => connecting.delete(connected))
      return events
    },
    async list() {
      const { data } = (await (await ask('/v1/sessions')).json()) as { data: readonly SessionInfo[] }
      return data
    },
    async close() {
      await ask(path, { method: 'DELETE' }).catch((error: unknown) => {
        // Another client closed it, or the server released it, or shut down, which releases everything.
        const isFree = error instanceof AppError && FREE.has(error.code)
        if (!isFree) throw error
      })
    },
  }
}

const FREE: ReadonlySet<string> = new Set(['session-unknown', 'model-unavailable'])

async function createOn(remote: Remote): Promise<string> {
  const response = await call(remote, '/v1/sessions', { method: 'POST' })
  return ((await response.json()) as { id: string }).id
}
