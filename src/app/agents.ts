/** `covey/agent` behind the model APIs: one conversation per request, in the configuration of a profile. */
import type { AgentParts } from '../server/parts.ts'
import type { ActivityLog } from '../server/web/activity.ts'
import { type AppContext, type AppOptions, openAppContext } from './open.ts'
import { type AppSession, openSession } from './session.ts'

type Agents = AgentParts & { close(): Promise<void> }

type AgentsOn = {
  /** That of the default profile exists already. */
  readonly usual: AppContext
  readonly options: AppOptions
  readonly profiles: readonly string[]
  /** Called with everything that happens in them. */
  readonly tell: ActivityLog['push']
}

/** One context per requested profile. */
export function agentsOf({ usual, options, profiles, tell }: AgentsOn): Agents {
  const contexts = new Map<string, Promise<AppContext>>()
  const contextOf = (profile: string): Promise<AppContext> => {
    const opened = contexts.get(profile) ?? openAppContext({ ...options, profile })
    contexts.set(profile, opened)
    opened.catch(() => contexts.delete(profile))
    return opened
  }
  return {
    profiles,
    async open({ profile, history, system, client }) {
      const { sessions } = profile === undefined ? usual : await contextOf(profile)
      const passing = { history, ...(system !== '' && { instructions: system }) }
      const session = await openSession(sessions, { resume: 'new', canAsk: false, passing })
      void follow(session, client, tell).catch(() => undefined)
      return session
    },
    async close() {
      const opened = await Promise.allSettled(contexts.values())
      await Promise.all(opened.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    },
  }
}

/** Until the session is closed. */
async function follow(session: AppSession, client: string, tell: ActivityLog['push']): Promise<void> {
  const source = { kind: 'request', id: session.id, client } as const
  try {
    const { signal } = new AbortController()
    for await (const event of session.events({ signal })) tell(source, event)
  } finally {
    tell(source, { type: 'request-end' })
  }
}
