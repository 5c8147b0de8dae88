/**
 * What of the program is served: every configured model behind the APIs that other programs speak, agents that work in
 * this folder, and sessions; `serve.ts` starts and ends it.
 */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type AppOptions, type AppContext, loadAppConfig, openAppContext } from './open.ts'
import type { LoadedConfig } from '../config/load.ts'
import { requireReachable } from '../federation/address.ts'
import { createAudit } from '../guard/audit.ts'
import { createFiles } from '../guard/paths/files.ts'
import { createFirewall } from '../guard/secrets/firewall.ts'
import { cleanControl } from '../lib/clean.ts'
import { errorMessage } from '../protocol/error.ts'
import type { Arm } from '../router/arm.ts'
import { apiRoutes } from '../server/api/routes.ts'
import { federationRoutes } from '../server/admin/federation.ts'
import { createFairQueue, type FairQueue } from '../server/http/queue.ts'
import type { Serving } from '../server/serving.ts'
import { createActivity } from '../server/web/activity.ts'
import { openPage } from './web/open.ts'
import { agentsOf } from './agents.ts'
import { openSession } from './session.ts'
import { AUTO, modelsOf, SWARM } from './served-models.ts'
import { shelfOf, withControls } from './session-controls.ts'
import { openMcpRoutes } from './serve-tools.ts'
import type { PreparedServing } from './serve.ts'
import { NANO_ID } from '../protocol/nano-id.ts'
import { defined } from '../lib/object.ts'

/** The configured address, known before anything is opened. */
export async function prepareServing(options: AppOptions): Promise<PreparedServing> {
  const loaded = await loadAppConfig(options)
  const { host, port } = loaded.config.server
  return {
    ...defined({ host, port }),
    open: () => openServing(options, loaded),
  }
}

export async function openServing(options: AppOptions, given?: LoadedConfig): Promise<Serving> {
  const loaded = given ?? (await loadAppConfig(options))
  requireFederable(loaded, options)
  const context = await openAppContext(options, loaded)
  const { config, paths, guards, sessions } = context
  const { others, warnings } = await openOthers(context, options)
  const arms = () => new Map([...context.answering.arms(), ...others].map((arm) => [arm.id, arm]))
  const activity = createActivity()
  const agents = agentsOf({ usual: context, options, profiles: loaded.profiles, tell: activity.push })
  const models = modelsOf({ context, arms, tell: activity.push })
  const queue = createFairQueue({ slots: (model) => models.slots(model) })
  const peers = await letIn(context, { arms: () => [...arms().values()], queue })
  const mcp = await openMcpRoutes({ ...context, env: options.env, ...placeOf(sessions) })
  const audit = auditOf(context)
  const page = openPage({ context, options, queue, activity })
  return {
    routes: [
      ...apiRoutes({ models, agents, queue, fit: config.server.fit, now: Date.now }),
      ...mcp.routes,
      ...federationRoutes(() => context.answering.flock?.health() ?? NO_FEDERATION),
    ],
    ...defined({ peers: peers.at }),
    models: [
      AUTO,
      SWARM,
      ...arms().keys(),
      'covey/agent',
      ...agents.profiles.map((name) => `covey/agent:${name}`),
    ],
    sessions: sessionsOf(context),
    page: { activity, service: page, prepare: context.prepare },
    workspace:
      context.toolsAt?.where ??
      `${sessions.root}, permission ${config.permission.mode}, commands: ${guards.confinement}`,
    checks: [
      { name: 'data folder', check: () => access(paths.dataFolder, constants.W_OK) },
      { name: 'models', check: (signal) => requireAnswer(context.answering, signal) },
    ],
    audit: ({ what, client, route, why }) =>
      audit.write({ what, sessionId: 'server', tool: route, targets: [client], why, by: 'server' }),
    log: sessions.log,
    warnings: [...context.warnings, ...warnings, ...peers.warnings],
    async close() {
      await page.close()
      await mcp.close()
      await agents.close()
      await context.close()
    },
  }
}

const sessionsOf = (context: AppContext): Serving['sessions'] => {
  const { sessions } = context
  const open = async (resume: Parameters<typeof openSession>[1]['resume']) =>
    withControls(context, await openSession(sessions, { resume, canAsk: true }))
  return {
    create: () => open('new'),
    resume: (id) => open({ id }),
    look: (id) => sessions.store.look(id),
    list: () => sessions.store.list(sessions.root),
    shelf: shelfOf(sessions),
  }
}

const placeOf = ({ root, log }: AppContext['sessions']) => ({ root, log })

const auditOf = ({ paths, sessions }: AppContext) =>
  createAudit({
    path: join(paths.dataFolder, 'audit.log'),
    outgoingValue: createFirewall({ files: createFiles({ root: sessions.root }) }).outgoingValue,
  })

const NO_FEDERATION = { enabled: false, peers: [], strangers: [] }

/**
 * `--federation` requires an address that others can reach; with the configuration key alone this machine may also
 * only ask them.
 */
function requireFederable({ config: { federation } }: LoadedConfig, { flags }: AppOptions): void {
  if (flags?.['federation.enabled'] !== true || federation.transport !== 'lan') return
  requireReachable(federation.host, networkInterfaces())
}

type Own = { arms(): readonly Arm[]; readonly queue: FairQueue }

/** Opens this machine to its peers, where there is an address to do so. */
async function letIn(context: AppContext, own: Own): Promise<{ at?: string; warnings: readonly string[] }> {
  const { flock } = context.answering
  if (!flock) return { warnings: [] }
  const reachable = await flock.listen(own).catch(async (error: unknown) => {
    await context.close()
    throw error
  })
  if (!reachable) {
    return {
      warnings: ['peers cannot ask this machine; `covey serve --federation --host ADDRESS` lets them.'],
    }
  }
  const { problem } = flock.health()
  if (context.config.federation.transport === 'nats' && problem !== undefined) {
    const said = cleanControl(problem)
    return { at: `ERROR: ${said}`, warnings: [`no other machine is reached: ${said}`] }
  }
  const { address, why } = reachable
  return { at: `${address} (${why}); \`covey peers invite\` pairs another machine`, warnings: [] }
}

/** One that answers is enough. */
async function requireAnswer({ arms, facts }: AppContext['answering'], signal: AbortSignal): Promise<void> {
  const asked = arms().map(async ({ id }) => facts(id).ping?.(signal))
  await Promise.any(asked).catch((error: AggregateError) => {
    throw error.errors[0]
  })
}

type Opened = { readonly others: readonly Arm[]; readonly warnings: readonly string[] }

/** Those of the configuration beside the one that answers. One that cannot be opened is named and left out. */
async function openOthers({ config, answering }: AppContext, { incognito }: AppOptions): Promise<Opened> {
  const there = new Set(answering.arms().map(({ id }) => id))
  const ids = [...Object.keys(config.arms), NANO_ID].filter((id) => !there.has(id))
  const opened = await Promise.allSettled(ids.map((id) => answering.open(id)))
  return {
    others: opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    warnings: opened.flatMap((result, index) =>
      result.status === 'rejected' && !incognito
        ? [`${ids[index]} is not served: ${errorMessage(result.reason)}`]
        : [],
    ),
  }
}
