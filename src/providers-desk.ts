/**
 * Who could answer here, without asking any of them, and how the small model that classifies requests does, by asking it.
 * For `covey providers` and `covey slm`.
 */
import { openAnswering } from './answering.ts'
import { openArm } from './arms.ts'
import { routedArms } from './config/choose-arm.ts'
import type { AppPaths } from './config/paths.ts'
import { toServers } from './config/router.ts'
import type { Config } from './config/schema.ts'
import { lanFiles } from './federation/lan.ts'
import { createFiles } from './guard/files.ts'
import { maskUrls } from './lib/mask-url.ts'
import { errorMessage } from './protocol/error.ts'
import type { ProviderDesk, ProviderInfo, SlmReport } from './protocol/provider-desk.ts'
import type { TaskType } from './protocol/routing.ts'
import { findAgents } from './provider/agent-model.ts'
import { type Classify, classifyWith } from './router/classify.ts'
import { openConsent, ownerText } from './router/consent.ts'
import { allServers, findServers } from './router/discovery.ts'

export type ProviderGround = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Other machines, as they are right now. */
  openPeers(): Promise<{
    list(): Promise<
      readonly { readonly id: string; readonly name: string; readonly scopes: readonly string[] }[]
    >
    look(): Promise<{ readonly peers: readonly SeenPeer[]; readonly problem?: string }>
  }>
}

type SeenPeer = {
  readonly id: string
  readonly state: 'here' | 'gone'
  readonly why?: string
  readonly last_seen_s?: number
  readonly models: readonly string[]
}

const NANO = 'covey/nano'

export function openProviderDesk(ground: ProviderGround): ProviderDesk {
  return {
    async list() {
      const parts = [configured(ground), servers(ground), agents(ground), peers(ground)]
      return [...(await Promise.all(parts)).flat(), IN_THE_BOX]
    },
    allow: async (port) => (await openConsent(ground.paths).allow(port)).map(ownerText),
    trySlm: (classifier = ground.config.router.classifier, signal) => trySlm(ground, classifier, signal),
    slms: () => [
      NANO,
      ...routedArms(ground.config, ground.env).arms.flatMap(({ settings }) =>
        settings.local ? [settings.id] : [],
      ),
    ],
  }
}

const IN_THE_BOX: ProviderInfo = {
  id: NANO,
  kind: 'in the box',
  tier: 'local',
  isOn: true,
  about: 'one step at a time, and the last resort',
}

const CLOUD_OFF = 'off until `router.cloud = true`'

async function configured({ config, env }: ProviderGround): Promise<readonly ProviderInfo[]> {
  const { arms } = routedArms(config, env)
  return Object.keys(config.arms).map((id) => {
    const kind = config.arms[id]?.kind ?? ''
    const found = arms.find(({ settings }) => settings.id === id)
    if (!found)
      return { id, kind, tier: 'cloud', isOn: false, about: 'its key is missing; see covey config check' }
    const { settings, routing } = found
    const tier = routing.tier ?? (settings.local ? 'local' : 'cloud')
    const why = whyOff(tier, routing.enabled, config)
    return {
      id,
      kind,
      tier,
      isOn: why === undefined,
      about: why ?? `${maskUrls(settings.baseUrl ?? kind)} ${settings.model}`,
    }
  })
}

function whyOff(tier: ProviderInfo['tier'], isEnabled: boolean, { router }: Config): string | undefined {
  if (!isEnabled) return 'switched off (`enabled = false`)'
  if (tier === 'cloud' && !router.cloud) return CLOUD_OFF
  return router.tiers.includes(tier) ? undefined : `\`router.tiers\` leaves out ${tier}`
}

async function servers({ config, paths }: ProviderGround): Promise<readonly ProviderInfo[]> {
  if (!config.router.discover) return []
  const found = await findServers(allServers(toServers(config.router, !config.offline)))
  const { problem } = openConsent(paths)
  return found.map((server) => {
    const { name, baseUrl, local = true } = server
    const why = problem(server)
    return {
      id: name,
      kind: 'found',
      tier: local ? 'local' : 'cloud',
      isOn: why === undefined,
      about: why ?? `${maskUrls(baseUrl)}; its models are called ${name}/MODEL`,
    }
  })
}

async function agents({ config, env, cwd }: ProviderGround): Promise<readonly ProviderInfo[]> {
  const isOn = config.router.cloud
  return (await findAgents(env, cwd)).map(({ agent, path }) => ({
    id: `agent/${agent}`,
    kind: 'agent',
    tier: 'cloud',
    isOn,
    about: isOn ? path : CLOUD_OFF,
  }))
}

async function peers(ground: ProviderGround): Promise<readonly ProviderInfo[]> {
  const { config, paths } = ground
  const isOn = config.federation.enabled
  if (isOn && config.federation.transport === 'nats') return natsPeers(ground)
  const paired = await lanFiles(paths.dataFolder).book.list()
  return paired.map(({ name, addresses }) => ({
    id: `peer/${name}`,
    kind: 'machine',
    tier: 'peer',
    isOn,
    about: isOn ? (addresses[0] ?? 'no address yet') : 'off until `federation.enabled = true`',
  }))
}

/** As they are on the server right now. */
async function natsPeers({ openPeers }: ProviderGround): Promise<readonly ProviderInfo[]> {
  const desk = await openPeers()
  const { peers: seen, problem } = await desk.look()
  return (await desk.list()).map(({ id, name, scopes }) => {
    const { state, why, models = [], last_seen_s: ago } = seen.find((one) => one.id === id) ?? {}
    const isHere = state === 'here'
    const how = isHere ? models.join(', ') || 'no models' : (problem ?? why ?? 'not seen on the NATS server')
    const heard = ago === undefined ? '' : `, heard ${ago} s ago`
    const about = `${id.slice(0, 8)} through NATS${heard}; may ${scopes.join(',') || 'nothing'}; ${how}`
    return { id: `peer/${name}`, kind: 'machine', tier: 'peer', isOn: isHere, about }
  })
}

/** Requests about which nobody can be in two minds. */
const SAMPLES: readonly (readonly [string, TaskType])[] = [
  ['Why does the test fail with "TypeError: x is not a function"? Fix it.', 'debug'],
  ['Explain what src/app.ts does.', 'explain'],
  ['Write unit tests for the parser.', 'unit_test'],
  ['Rename the function load to read and split it into two, without changing what it does.', 'refactor'],
  ['Check the login code for injection and leaked secrets.', 'security_review'],
]

async function trySlm(ground: ProviderGround, classifier: string, signal: AbortSignal): Promise<SlmReport> {
  const report = { classifier, usesTools: false, right: 0, asked: 0, samples: [] }
  if (classifier === 'keywords') {
    return { ...report, state: 'off', why: 'requests are classified by their words' }
  }
  try {
    return await withClassifier(ground, classifier, async (classify, usesTools) => {
      await classify('Hello', signal)
      const told = await inTurn(SAMPLES, async ([prompt]) => {
        const started = performance.now()
        const { type } = await classify(prompt, signal)
        return { prompt, said: type, ms: performance.now() - started }
      })
      return {
        classifier,
        state: 'ok',
        usesTools,
        right: told.filter(({ said }, index) => said === SAMPLES[index]?.[1]).length,
        asked: told.length,
        ms: Math.round(told.map(({ ms }) => ms).toSorted((a, b) => a - b)[told.length >> 1] ?? 0),
        samples: told.map(({ prompt, said }) => ({ prompt, said })),
      }
    })
  } catch (error) {
    signal.throwIfAborted()
    return { ...report, state: 'failed', why: maskUrls(errorMessage(error)) }
  }
}

async function withClassifier<T>(
  { config, paths, env, cwd }: ProviderGround,
  id: string,
  use: (classify: Classify, usesTools: boolean) => Promise<T>,
): Promise<T> {
  const promptsFolder = config.prompts ?? paths.promptsFolder
  const place = { cwd, files: createFiles({ root: cwd }), promptsFolder, incognito: true }
  if (id === NANO) {
    const { classify, close } = await openArm({ kind: 'nano', why: 'tried' }, place)
    if (!classify) throw new Error('the model in the box always classifies')
    return use((prompt) => classify(prompt), true).finally(close)
  }
  const answering = await openAnswering(config, { ...place, model: id, env, paths })
  const lease = answering.measure()
  try {
    return await use(classifyWith(lease.model), lease.arm.capabilities.tools !== 'text')
  } finally {
    lease.release()
    await answering.close()
  }
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await act(item))
  return results
}
