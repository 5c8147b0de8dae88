/**
 * Opens every arm the router may pick and joins the router's parts: the record on disk, the pools, the classifier, the
 * look for local servers. `arms.ts` opens one arm; `app.ts` asks for a fleet only where nobody chose one.
 */
import { join } from 'node:path'
import type { ArmWanted, OpenedArm } from './arms.ts'
import type { RoutedArm } from './config/choose-arm.ts'
import { toRouterSettings } from './config/router.ts'
import type { Config } from './config/schema.ts'
import type { ArmSettings } from './protocol/arm.ts'
import { AppError } from './protocol/error.ts'
import type { RouterDesk } from './protocol/routing.ts'
import { type Classify, classifyWith, createClassifier } from './router/classify.ts'
import { createDecisionLog } from './router/decision-log.ts'
import { createRouterDesk } from './router/desk.ts'
import { startDiscovery, usualServers } from './router/discovery.ts'
import { isOneStep } from './router/keywords.ts'
import { createPools } from './router/pools.ts'
import { priorOf } from './router/prior.ts'
import { openRecord } from './router/record.ts'
import { createRouter, type Router } from './router/router.ts'
import type { RouterArm } from './router/snapshot.ts'

export type FleetParts = {
  readonly config: Config
  readonly arms: readonly RoutedArm[]
  readonly dataFolder: string
  readonly incognito: boolean
  /** Other vendors' agents; listed, and off until the cloud is allowed. */
  readonly agents: readonly ArmWanted[]
  /** Models of other machines, as they come and go. */
  peers(): readonly RouterArm[]
  /** `hasOther`: its failures need not be waited out. */
  open(wanted: ArmWanted, hasOther: () => boolean): Promise<OpenedArm>
  warn(message: string): void
}

export type Fleet = { readonly router: Router; arms(): readonly RouterArm[]; close(): Promise<void> }

export async function openFleet(parts: FleetParts): Promise<Fleet> {
  const { config, dataFolder, incognito, warn } = parts
  const settings = toRouterSettings(config.router)
  const record = await openRecord({
    path: join(dataFolder, 'router.json'),
    learning: !incognito,
    onProblem: warn,
  })
  const log = createDecisionLog({ path: join(dataFolder, 'router-decisions.jsonl'), onProblem: warn })
  const create = (arm: RoutedArm) => openRouted(arm, parts, (id) => router.hasOther(id))
  const nano = await openNano(parts)
  const agents = incognito ? [] : await Promise.all(parts.agents.map((agent) => openAgent(agent, parts)))
  const configured = [...(await Promise.all(parts.arms.map((arm) => create(arm)))).flat(), ...agents]
  const discovery = config.router.discover
    ? startDiscovery({
        servers: [
          ...usualServers,
          ...Object.entries(config.router.servers).map(([name, baseUrl]) => ({ name, baseUrl })),
        ],
        createModel: async (found) =>
          requireOne(await create({ settings: found, routing: { enabled: true, strengths: [] } }), found),
        every(ms, look) {
          const timer = setInterval(look, ms).unref()
          return () => clearInterval(timer)
        },
      })
    : undefined
  // With nothing configured there is nobody to ask before the first look.
  if (parts.arms.length === 0) await discovery?.look()
  const arms = () => [...configured, ...(discovery?.arms() ?? []), ...parts.peers(), nano.arm]
  const router = createRouter({
    arms,
    record,
    pools: createPools({ limits: settings.limits, ledgers: record.ledgers, now: Date.now }),
    classify: createClassifier(classifierOf(config.router.classifier, arms, nano.classify)),
    options: { ...settings, incognito, airGap: config.offline },
    now: Date.now,
    random: Math.random,
    onDecision: (decision) => !incognito && log.append(decision),
  })
  return {
    router,
    arms,
    async close() {
      discovery?.stop()
      await Promise.all([record.flush(), log.flush()])
    },
  }
}

async function openNano({
  open,
}: FleetParts): Promise<{ readonly arm: RouterArm; readonly classify?: Classify }> {
  const { arm, classify } = await open({ kind: 'nano', why: 'the last resort' }, () => false)
  const entry: RouterArm = { arm, tier: 'local', lastResort: true, proves: isOneStep, measured: 0.2 }
  return classify ? { arm: entry, classify: (prompt) => classify(prompt) } : { arm: entry }
}

async function openAgent(wanted: ArmWanted, { open }: FleetParts): Promise<RouterArm> {
  const { arm } = await open(wanted, () => true)
  return { arm, tier: 'cloud', tools: true, measured: AGENT_QUALITY }
}

/** Large models behind them; that they work by their own rules counts against them. */
const AGENT_QUALITY = 0.7

/** None where incognito forbids it. */
async function openRouted(
  { settings, routing }: RoutedArm,
  { open, incognito, warn }: FleetParts,
  hasOther: (arm: string) => boolean,
): Promise<readonly RouterArm[]> {
  if (incognito && !settings.local) return []
  const opened = await open({ kind: 'arm', settings, why: 'routed' }, () => hasOther(settings.id))
  for (const warning of opened.warnings) warn(warning)
  const { price_input: input, price_output: output = input } = routing
  return [
    {
      arm: opened.arm,
      tier: routing.tier ?? (settings.local ? 'local' : 'cloud'),
      enabled: routing.enabled,
      strengths: routing.strengths,
      ...(routing.parameters !== undefined && { parameters: routing.parameters }),
      ...(input !== undefined && output !== undefined && { price: { input, output } }),
      ...(routing.pool !== undefined && { pool: routing.pool }),
    },
  ]
}

function requireOne([arm]: readonly RouterArm[], { id }: ArmSettings): RouterArm {
  if (!arm) throw new AppError('model-unavailable', `${id} cannot be used now.`)
  return arm
}

function classifierOf(
  name: string,
  arms: () => readonly RouterArm[],
  nano: Classify | undefined,
): { ask?: Classify } {
  if (name === 'keywords') return {}
  if (name === 'covey/nano') return nano ? { ask: nano } : {}
  return {
    async ask(prompt, signal) {
      const entry = arms().find(({ arm }) => arm.id === name)
      if (!entry) throw new AppError('config-invalid', `router.classifier names ${name}, which is no arm.`)
      const lease = entry.arm.lease('to classify')
      try {
        return await classifyWith(lease.model)(prompt, signal)
      } finally {
        lease.release()
      }
    },
  }
}

/** For `covey router`: what was learnt, without opening any arm. */
export async function openRouterDesk(
  { arms }: Pick<Config, 'arms'>,
  dataFolder: string,
  warn: (message: string) => void,
): Promise<RouterDesk> {
  const record = await openRecord({ path: join(dataFolder, 'router.json'), learning: true, onProblem: warn })
  const log = createDecisionLog({ path: join(dataFolder, 'router-decisions.jsonl'), onProblem: warn })
  const prior = (id: string) =>
    priorOf({ id, tier: arms[id]?.tier ?? 'local', parameters: arms[id]?.parameters })
  return createRouterDesk({ record, log, prior })
}
