/**
 * Opens every arm the router may pick and joins the router's parts: the record on disk, the pools, the classifier, the
 * search for local servers. `app/arms.ts` opens one arm; all are opened only when none was chosen.
 */
import { join } from 'node:path'
import type { ArmWanted, OpenedArm } from './arms.ts'
import type { RoutedArm } from '../config/choose-arm.ts'
import { isLocalAddress } from '../config/address.ts'
import { toRouterSettings, toServers } from '../config/router.ts'
import type { Config } from '../config/schema.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { RouterService } from '../protocol/routing.ts'
import { classifyByArm } from '../router/arm-classifier.ts'
import { type ClassifierParts, type Classify, createClassifier } from '../router/classify.ts'
import { type Consent, openConsent } from '../router/consent.ts'
import { createDecisionLog } from '../router/decision-log.ts'
import { createRouterService } from '../router/service.ts'
import {
  allServers,
  type Discovery,
  findServers,
  isSameAddress,
  type ServerAddress,
  startDiscovery,
} from '../router/discovery.ts'
import { entryOf } from '../router/entry.ts'
import { isOneStep } from '../router/keywords.ts'
import { createPools } from '../router/pools.ts'
import { type PriorFacts, priorOf } from '../router/prior.ts'
import { openRecord } from '../router/record.ts'
import { isAllowed } from '../router/route.ts'
import { createRouter, type Router } from '../router/router.ts'
import type { RouterArm } from '../router/snapshot.ts'
import { NANO_ID } from '../protocol/nano-id.ts'

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
  /** Absent = no user can be asked. */
  confirm?(question: string): Promise<boolean>
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
  const configured = await openConfigured(parts, create)
  const discovery = config.router.discover ? await lookAround(parts, create) : undefined
  // With nothing configured there is no arm before the first search.
  if (parts.arms.length === 0) await discovery?.look()
  const arms = () => [
    ...configured.arms(),
    ...agents,
    ...(discovery?.arms() ?? []),
    ...parts.peers(),
    nano.arm,
  ]
  const pools = createPools({ limits: settings.limits, ledgers: record.ledgers, now: Date.now })
  const options = { ...settings, incognito, airGap: config.offline }
  const find = (id: string) => arms().find(({ arm }) => arm.id === id)
  const byArm = (id: string) => classifyByArm({ find: () => find(id), pools, options })
  const sorter = find(config.router.classifier)
  if (sorter && !isAllowed(sorter, options)) warn(notForClassifying(sorter))
  const router = createRouter({
    arms,
    record,
    pools,
    classify: createClassifier(classifierOf(config.router.classifier, nano.classifier, byArm)),
    options,
    now: Date.now,
    random: Math.random,
    onDecision: (decision) => !incognito && log.append(decision),
  })
  return {
    router,
    arms,
    async close() {
      discovery?.stop()
      configured.stop()
      await Promise.all([record.flush(), log.flush()])
    },
  }
}

type Create = (arm: RoutedArm) => Promise<readonly RouterArm[]>

const AGAIN_MS = 30_000

/** One that cannot be opened now does not stop the others: it is reported, and tried again while the program runs. */
async function openConfigured({ arms, warn }: FleetParts, create: Create) {
  const opened = new Map<string, readonly RouterArm[]>()
  const missing = () => arms.filter(({ settings }) => !opened.has(settings.id))
  const tryMissing = (report: (text: string) => void) =>
    Promise.all(
      missing().map(async (arm) => {
        try {
          opened.set(arm.settings.id, await create(arm))
        } catch (error) {
          report(`The arm "${arm.settings.id}" is not used now. ${errorMessage(error)}`)
        }
      }),
    )
  await tryMissing(warn)
  const timer =
    missing().length > 0 ? setInterval(() => void tryMissing(() => {}), AGAIN_MS).unref() : undefined
  return {
    arms: () => arms.flatMap(({ settings }) => opened.get(settings.id) ?? []),
    stop: () => clearInterval(timer),
  }
}

async function lookAround(parts: FleetParts, create: Create): Promise<Discovery> {
  const { config, arms, incognito, dataFolder, warn, confirm } = parts
  const consent = openConsent({ dataFolder })
  const { problem } = consent
  const servers = allServers(toServers(config.router, !config.offline && !incognito))
  if (confirm && !incognito) await askFor(servers, consent, confirm)
  return startDiscovery({
    servers,
    problem,
    onRefused: ({ name }, why) => warn(`${name} is not used: ${why}.`),
    async createModel(found) {
      const routing = { enabled: !isConfigured(arms, found), strengths: [] }
      const entry = requireOne(await create({ settings: found, routing }), found)
      const server = servers.find(({ baseUrl }) => baseUrl === found.baseUrl)
      return { ...entry, arm: leasedIf(() => server && problem(server), entry.arm) }
    },
    every(ms, look) {
      const timer = setInterval(look, ms).unref()
      return () => clearInterval(timer)
    },
  })
}

/** Asks once about a model server of another user on a usual port. */
async function askFor(
  servers: readonly ServerAddress[],
  consent: Consent,
  confirm: NonNullable<FleetParts['confirm']>,
): Promise<void> {
  const strangers = servers.filter((server) => consent.question(server) !== undefined)
  for (const server of strangers.length > 0 ? await findServers(strangers) : []) {
    const question = consent.question(server)
    if (question === undefined) continue
    const port = Number(new URL(server.baseUrl).port)
    await ((await confirm(question)) ? consent.allow(port) : consent.refuse(port))
  }
}

/** Also one who names the arm, and does not go through the router, gets it only while it may be used. */
const leasedIf = (problem: () => string | undefined, arm: RouterArm['arm']): RouterArm['arm'] => ({
  ...arm,
  lease(...args) {
    const why = problem()
    if (why !== undefined) throw new AppError('model-unavailable', `${arm.id} is not used: ${why}.`)
    return arm.lease(...args)
  },
})

/** What the person set for an arm must not be got round by finding the same model once more. */
const isConfigured = (arms: readonly RoutedArm[], { baseUrl = '', model }: ArmSettings): boolean =>
  arms.some(
    ({ settings }) =>
      (settings.isModelOpen || settings.model === model) && isSameAddress(settings.baseUrl ?? '', baseUrl),
  )

async function openNano({
  open,
}: FleetParts): Promise<{ readonly arm: RouterArm; readonly classifier: ClassifierParts }> {
  const { arm, classify, startClassifier } = await open({ kind: 'nano', why: 'the last resort' }, () => false)
  const entry: RouterArm = { arm, tier: 'local', lastResort: true, proves: isOneStep, measured: NANO_QUALITY }
  const start = startClassifier && { start: startClassifier }
  return { arm: entry, classifier: classify ? { ask: (prompt) => classify(prompt), ...start } : {} }
}

async function openAgent(wanted: ArmWanted, { open }: FleetParts): Promise<RouterArm> {
  const { arm } = await open(wanted, () => true)
  return { arm, tier: 'cloud', tools: true, measured: AGENT_QUALITY }
}

const NANO_QUALITY = 0.2
/** Large models behind them; that they work by their own rules counts against them. */
const AGENT_QUALITY = 0.7

/** None where incognito forbids it. */
async function openRouted(
  { settings, routing }: RoutedArm,
  { config, open, incognito, warn }: FleetParts,
  hasOther: (arm: string) => boolean,
): Promise<readonly RouterArm[]> {
  if (incognito && !settings.local) return []
  const tier = routing.tier ?? (settings.local ? 'local' : 'cloud')
  const isOff = !routing.enabled || (tier === 'cloud' && !config.router.cloud)
  const opened = await open({ kind: 'arm', settings, why: 'routed', isOff }, () => hasOther(settings.id))
  for (const warning of opened.warnings) warn(warning)
  const { price_input: input, price_output: output = input } = routing
  return [
    {
      arm: opened.arm,
      tier,
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

function classifierOf(name: string, nano: ClassifierParts, byArm: (id: string) => Classify): ClassifierParts {
  if (name === 'keywords') return {}
  return name === NANO_ID ? nano : { ask: byArm(name) }
}

const notForClassifying = ({ arm, tier }: RouterArm): string =>
  `router.classifier names ${arm.id}, which is off (${tier}); \`covey providers\` says why. Words decide instead.`

/** For `covey router`: what was learnt, without opening any arm. */
export async function openRouterService(
  { arms }: Pick<Config, 'arms'>,
  dataFolder: string,
  warn: (message: string) => void,
): Promise<RouterService> {
  const record = await openRecord({ path: join(dataFolder, 'router.json'), learning: true, onProblem: warn })
  const log = createDecisionLog({ path: join(dataFolder, 'router-decisions.jsonl'), onProblem: warn })
  return createRouterService({ record, log, prior: (id) => priorOf(factsOf(id, entryOf(arms, id))) })
}

/** What the router went by when it chose, as far as the name and the configuration still tell. */
function factsOf(id: string, arm: Config['arms'][string] | undefined): PriorFacts {
  if (id === NANO_ID) return { id, tier: 'local', measured: NANO_QUALITY }
  if (id.startsWith('agent/')) return { id, tier: 'cloud', measured: AGENT_QUALITY }
  if (!arm) return { id, tier: id.startsWith('peer/') ? 'peer' : 'local' }
  const isLocal = arm.local ?? isLocalAddress(arm.base_url)
  return { id, tier: arm.tier ?? (isLocal ? 'local' : 'cloud'), parameters: arm.parameters }
}
