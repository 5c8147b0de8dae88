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
import { fixedTokens, messagesTokens } from '../context/count.ts'
import { fitClient } from '../context/fit-client.ts'
import { requireReachable } from '../federation/address.ts'
import { createAudit } from '../guard/audit.ts'
import { createFiles } from '../guard/paths/files.ts'
import { createFirewall } from '../guard/secrets/firewall.ts'
import { cleanControl } from '../lib/clean.ts'
import type { ArmProfile, Lease, ReserveRequest } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Firewall } from '../protocol/firewall.ts'
import type { ModelRequest } from '../protocol/model.ts'
import { nearest } from '../lib/nearest.ts'
import type { Arm } from '../router/arm.ts'
import { apiRoutes } from '../server/api/routes.ts'
import { federationRoutes } from '../server/admin/federation.ts'
import type { ModelParts, ReserveAbout, ServedModel } from '../server/parts.ts'
import { createFairQueue, type FairQueue } from '../server/http/queue.ts'
import type { Serving } from '../server/serving.ts'
import { createActivity } from '../server/web/activity.ts'
import { openPage } from './web/open.ts'
import { clientFirewalls } from './firewall.ts'
import { agentsOf } from './agents.ts'
import { openSession } from './session.ts'
import { shelfOf, withControls } from './session-controls.ts'
import { openMcpRoutes } from './serve-tools.ts'
import { withSwarm } from '../swarm/lease.ts'
import type { PreparedServing } from './serve.ts'
import { NANO_ID } from '../protocol/nano-id.ts'
import { defined } from '../lib/object.ts'

/** The arm that answers here: the only one, or the router's choice. */
const AUTO = 'covey/auto'
/** The same, asked several times, with a vote. */
const SWARM = 'covey/swarm'

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
  const agents = agentsOf(context, options, loaded.profiles)
  const arms = () => new Map([...context.answering.arms(), ...others].map((arm) => [arm.id, arm]))
  const models = modelsOf(context, arms)
  const queue = createFairQueue({ slots: (model) => models.slots(model) })
  const peers = await letIn(context, { arms: () => [...arms().values()], queue })
  const mcp = await openMcpRoutes({ ...context, env: options.env, ...placeOf(sessions) })
  const audit = auditOf(context)
  const activity = createActivity()
  const page = {
    activity,
    service: openPage({ context, options, queue, activity }),
    prepare: context.prepare,
  }
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
    page,
    workspace:
      context.toolsAt ??
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
      await page.service.close()
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

/** Requests at a time: a model here shares its cores, one elsewhere has its own queue. */
const SLOTS = { local: 4, remote: 16 } as const

function modelsOf(context: AppContext, arms: () => ReadonlyMap<string, Arm>): ModelParts {
  const { sessions, answering } = context
  const { workers, policy, arbiter } = context.swarm
  const swarm = { workers, policy: { ...policy, when: 'always' as const } }
  const firewallOf = clientFirewalls(sessions.root)
  const created = Math.floor(Date.now() / 1000)
  const find = (model: string): Lease => {
    const arm = arms().get(model)
    if (arm) return arm.lease('asked for by name')
    throw new AppError('request-invalid', unknownModel(model, [AUTO, SWARM, ...arms().keys()]), {
      status: 404,
    })
  }
  return {
    list: () => [
      ...[AUTO, SWARM].map((id) => ({ ...toServed(id, answering.measure().arm, created), ownedBy: 'covey' })),
      ...Array.from(arms().values(), (arm) => ({
        ...toServed(arm.id, arm.profile(), created),
        embeddings: answering.facts(arm.id).embed !== undefined,
      })),
    ],
    async reserve(model = AUTO, signal, about) {
      const isUsual = model === AUTO || model === SWARM
      const wish = { ...toRun(about), ...(model === SWARM && { stays: true }) }
      const lease = isUsual ? await answering.reserve(wish, signal) : find(model)
      const firewall = firewallOf(about?.client ?? '')
      const echoed = { ...lease, model: firewall.echo(lease.model) }
      if (model !== SWARM) return echoed
      return withSwarm(echoed, {
        ...swarm,
        elsewhere: elsewhereOf(answering, lease, firewall),
        ...(arbiter && { arbiter: { ...arbiter, model: firewall.echo(arbiter.model) } }),
      })
    },
    fit: (request, lease) => fitClient(request, windowOf(lease)),
    count: countRequest,
    slots: (model) =>
      answering.facts(model).slots ??
      (arms().get(model)?.profile().local === false ? SLOTS.remote : SLOTS.local),
    fillIn(lease, client) {
      const { fill } = answering.facts(lease.arm.id)
      return fill && firewallOf(client).echo(fill)
    },
    embed: embedWith(answering, arms),
  }
}

function embedWith(
  { facts }: AppContext['answering'],
  arms: () => ReadonlyMap<string, Arm>,
): NonNullable<ModelParts['embed']> {
  return async (model, texts, signal) => {
    const { embed } = facts(model)
    if (embed) return embed(texts, signal)
    const able = [...arms().keys()].filter((id) => facts(id).embed)
    const hint = able.length > 0 ? `these do: ${able.join(', ')}.` : 'no configured model does.'
    throw new AppError('request-invalid', `${model.slice(0, 100)} makes no embeddings; ${hint}`, {
      status: 404,
    })
  }
}

/** Who on other machines answers as well; they are shown placeholders like everybody else. */
const elsewhereOf = ({ flock }: AppContext['answering'], { arm }: Lease, firewall: Firewall) =>
  flock?.elsewhere(arm.id).map((other) => ({ ...other, model: firewall.echo(other.model) })) ?? []

/** All requests of a client's conversation are one run to the router: they stay where their prefix is. */
const toRun = (about: ReserveAbout | undefined): ReserveRequest => ({
  task: about?.task ?? '',
  excluded: [],
  ...(about?.sessionId !== undefined && {
    runId: `${about.client} ${about.sessionId}`,
    sessionId: about.sessionId,
  }),
  ...(about?.vision !== undefined && { vision: about.vision }),
})

function unknownModel(model: string, known: readonly string[]): string {
  const guess = nearest(model, known)
  return `The model "${model.slice(0, 100)}" does not exist; ${guess ? `did you mean "${guess}"?` : `there are ${known.join(', ')}.`}`
}

const toServed = (id: string, { local, capabilities }: ArmProfile, created: number): ServedModel => ({
  id,
  ownedBy: local ? 'local' : 'remote',
  created,
  capabilities,
  embeddings: false,
})

const windowOf = ({ arm, countTokens }: Lease) => ({ window: arm.capabilities.window, count: countTokens })

function countRequest({ system, tools, messages }: ModelRequest, { arm, countTokens }: Lease): number {
  const { reasoning } = arm.capabilities
  return fixedTokens(system, tools, countTokens) + messagesTokens(messages, { count: countTokens, reasoning })
}
