/** `covey/agent` behind the model APIs: one conversation per request, in the configuration of a profile. */
import type { AgentParts } from '../server/parts.ts'
import { type AppContext, type AppOptions, openAppContext } from './open.ts'
import { openSession } from './session.ts'

type Agents = AgentParts & { close(): Promise<void> }

/** One context per requested profile; the default one exists already. */
export function agentsOf(usual: AppContext, options: AppOptions, profiles: readonly string[]): Agents {
  const contexts = new Map<string, Promise<AppContext>>()
  const contextOf = (profile: string): Promise<AppContext> => {
    const opened = contexts.get(profile) ?? openAppContext({ ...options, profile })
    contexts.set(profile, opened)
    opened.catch(() => contexts.delete(profile))
    return opened
  }
  return {
    profiles,
    async open({ profile, history, system }) {
      const { sessions } = profile === undefined ? usual : await contextOf(profile)
      const passing = { history, ...(system !== '' && { instructions: system }) }
      return openSession(sessions, { resume: 'new', canAsk: false, passing })
    },
    async close() {
      const opened = await Promise.allSettled(contexts.values())
      await Promise.all(opened.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    },
  }
}
