/**
 * Who could answer here, asked only whether they are there, and how the small model that classifies requests does, by
 * asking it. For `covey providers` and `covey slm`.
 */
import { openAnswering } from './model.ts'
import { openArm } from './arms.ts'
import { routedArms } from '../config/choose-arm.ts'
import type { AppPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { lanFiles } from '../federation/lan/open.ts'
import { createFiles } from '../guard/paths/files.ts'
import { maskUrls } from '../lib/mask-url.ts'
import { defined } from '../lib/object.ts'
import { errorMessage } from '../protocol/error.ts'
import type { PeerView } from '../protocol/page.ts'
import type { ProviderService, ProviderInfo, SlmReport } from '../protocol/provider-service.ts'
import type { TaskType } from '../protocol/routing.ts'
import { findAgents } from '../provider/agents/model.ts'
import { type Classify, classifyWith } from '../router/classify.ts'
import { openConsent, ownerText } from '../router/consent.ts'
import { checkServers, CLOUD_OFF } from './server-checks.ts'
import { NANO_ID } from '../protocol/nano-id.ts'

export type ProviderContext = {
  readonly config: Config
  readonly paths: AppPaths
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Only the server at this address is asked for. */
  readonly baseUrl?: string
  /** Other machines, as they are right now. */
  openPeers(): Promise<{
    list(): Promise<
      readonly { readonly id: string; readonly name: string; readonly scopes: readonly string[] }[]
    >
    look(): Promise<{ readonly peers: readonly PeerView[]; readonly problem?: string }>
  }>
}

export function openProviderService(context: ProviderContext): ProviderService {
  return {
    async list() {
      if (context.baseUrl !== undefined) return checkServers(context)
      const parts = [checkServers(context), agents(context), peers(context)]
      return [...(await Promise.all(parts)).flat(), IN_THE_BOX]
    },
    servers: () => checkServers(context),
    allow: async (port) => (await openConsent(context.paths).allow(port)).map(ownerText),
    trySlm: (classifier = context.config.router.classifier, signal) => trySlm(context, classifier, signal),
    slms: () => [
      NANO_ID,
      ...routedArms(context.config, context.env).arms.flatMap(({ settings }) =>
        settings.local ? [settings.id] : [],
      ),
    ],
  }
}

const IN_THE_BOX: ProviderInfo = {
  id: NANO_ID,
  kind: 'in the box',
  tier: 'local',
  state: 'ready',
  isOn: true,
  about: 'one step at a time, and the last resort',
}

async function agents({ config, env, cwd }: ProviderContext): Promise<readonly ProviderInfo[]> {
  const isOn = config.router.cloud
  return (await findAgents(env, cwd)).map(({ agent, path }) => ({
    id: `agent/${agent}`,
    kind: 'agent',
    tier: 'cloud',
    state: isOn ? 'ready' : 'off',
    isOn,
    about: isOn ? path : CLOUD_OFF,
  }))
}

async function peers(context: ProviderContext): Promise<readonly ProviderInfo[]> {
  if (context.config.federation.enabled) return seenPeers(context)
  const paired = await lanFiles(context.paths.dataFolder).book.list()
  return paired.map(({ name }) => ({
    id: `peer/${name}`,
    kind: 'machine',
    tier: 'peer',
    state: 'off',
    isOn: false,
    about: 'off until `federation.enabled = true`',
  }))
}

/** Every machine, asked now. */
async function seenPeers({ config, openPeers }: ProviderContext): Promise<readonly ProviderInfo[]> {
  const service = await openPeers()
  const { peers: seen, problem } = await service.look()
  const isNats = config.federation.transport === 'nats'
  return (await service.list()).map(({ id, name, scopes }) => {
    const { state, why, models = [], lastSeenS: ago } = seen.find((one) => one.id === id) ?? {}
    const isHere = state === 'here'
    const unseen = isNats ? 'not seen on the NATS server' : 'it does not answer'
    const how = isHere
      ? models.map((model) => model.id).join(', ') || 'no models'
      : (problem ?? why ?? unseen)
    const heard = ago === undefined ? '' : `, heard ${ago} s ago`
    const through = isNats ? ' through NATS' : ''
    const about = `${id.slice(0, 8)}${through}${heard}; may ${scopes.join(',') || 'nothing'}; ${how}`
    const shown = { state: isHere ? 'ready' : 'failed', isOn: isHere, about } as const
    return { id: `peer/${name}`, kind: 'machine', tier: 'peer', ...shown }
  })
}

/** Requests with an unambiguous type. */
const SAMPLES: readonly (readonly [string, TaskType])[] = [
  ['Why does the test fail with "TypeError: x is not a function"? Fix it.', 'debug'],
  ['Explain what src/app.ts does.', 'explain'],
  ['Write unit tests for the parser.', 'unit_test'],
  ['Rename the function load to read and split it into two, without changing what it does.', 'refactor'],
  ['Check the login code for injection and leaked secrets.', 'security_review'],
]

async function trySlm(context: ProviderContext, classifier: string, signal: AbortSignal): Promise<SlmReport> {
  const report = { classifier, usesTools: false, right: 0, asked: 0, samples: [] }
  if (classifier === 'keywords') {
    return { ...report, state: 'off', why: 'requests are classified by their words' }
  }
  try {
    return await withClassifier(context, classifier, async (classify, usesTools) => {
      await classify('Hello', signal)
      const told = await inTurn(SAMPLES, async ([prompt, expected]) => {
        const started = performance.now()
        const { type, sure } = await classify(prompt, signal)
        const ms = performance.now() - started
        return { prompt, said: type, expected, ...defined({ sure }), ms }
      })
      return {
        classifier,
        state: 'ok',
        usesTools,
        right: told.filter(({ said, expected }) => said === expected).length,
        asked: told.length,
        ms: Math.round(told.map(({ ms }) => ms).toSorted((a, b) => a - b)[told.length >> 1] ?? 0),
        samples: told.map(({ prompt, said, expected, sure }) => ({
          prompt,
          said,
          expected,
          ...defined({ sure }),
        })),
      }
    })
  } catch (error) {
    signal.throwIfAborted()
    return { ...report, state: 'failed', why: maskUrls(errorMessage(error)) }
  }
}

async function withClassifier<T>(
  { config, paths, env, cwd }: ProviderContext,
  id: string,
  use: (classify: Classify, usesTools: boolean) => Promise<T>,
): Promise<T> {
  const promptsFolder = config.prompts ?? paths.promptsFolder
  const place = {
    cwd,
    files: createFiles({ root: cwd }),
    promptsFolder,
    incognito: true,
    enginesFolder: paths.enginesFolder,
  }
  if (id === NANO_ID) {
    const { classify, close } = await openArm({ kind: 'nano', why: 'tried' }, place)
    if (!classify) throw new Error('the built-in model always classifies')
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
