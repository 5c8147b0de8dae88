/**
 * Which servers answer right now and with which models: the one that is asked for by its address, the arms of the
 * configuration, the servers found on this machine, and the one COVEY_BASE_URL names. `covey providers`, `covey doctor` and `covey models` all show what this says.
 */
import { isLocalAddress } from '../config/address.ts'
import { chooseArm, routedArms } from '../config/choose-arm.ts'
import type { AppPaths } from '../config/paths.ts'
import { toServers } from '../config/router.ts'
import type { Config } from '../config/schema.ts'
import { maskUrls } from '../lib/mask-url.ts'
import { isChatModel, isEmbeddingModel } from '../lib/model-ids.ts'
import { defined } from '../lib/object.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { OfferedModel, ProviderInfo } from '../protocol/provider-service.ts'
import { findApi, type ServerApi } from '../provider/find-api.ts'
import { listAddress } from '../provider/list-address.ts'
import { settleArm } from '../provider/settle-arm.ts'
import { openConsent } from '../router/consent.ts'
import { allServers, type ServerAddress, settingsAt } from '../router/discovery.ts'

export type CheckContext = {
  readonly config: Config
  readonly paths: Pick<AppPaths, 'dataFolder'>
  readonly env: NodeJS.ProcessEnv
  /** Only the server at this address is asked for. */
  readonly baseUrl?: string
}

const LIMITS = { limitMs: 2_000, loadingMs: 0 }
const signal = new AbortController().signal

export async function checkServers(context: CheckContext): Promise<readonly ProviderInfo[]> {
  if (context.baseUrl !== undefined) return [await checkAddress(context.baseUrl, context)]
  const all = await Promise.all([flagged(context), configured(context), found(context)])
  return all.flat()
}

/** Of a server that has one model, the address is enough to use it. */
async function checkAddress(baseUrl: string, { config, env }: CheckContext): Promise<ProviderInfo> {
  const info = { id: 'server', kind: 'openai-compatible', tier: 'local' as const }
  try {
    const choice = chooseArm(config, { baseUrl }, env)
    if (choice.kind !== 'arm')
      throw new AppError(
        'config-invalid',
        `${baseUrl} is not an address of a server. Write it as http://HOST:PORT.`,
      )
    const { settings } = choice
    const api = await findApi(listAddress(settings), LIMITS, signal)
    const url = maskUrls(api.baseUrl)
    const chatting = api.models.filter(isChatModel)
    const models = [
      ...chatting.map((name) => ({ name, use: useOf(url, chatting.length > 1 ? name : undefined) })),
      ...embeddingModels(api, (model) => model),
    ]
    const about = `${url} offers ${models.length === 1 ? 'one model' : `${models.length} models`}`
    return { ...info, tier: settings.local ? 'local' : 'cloud', state: 'ready', isOn: true, about, models }
  } catch (error) {
    return { ...info, ...failed(errorMessage(error)) }
  }
}

const useOf = (url: string, model?: string): string =>
  `--base-url ${url}${model === undefined ? '' : ` --model ${model}`}`

/** The server that a run without --model would ask because a variable names it. */
async function flagged({ config, env }: CheckContext): Promise<readonly ProviderInfo[]> {
  const baseUrl = env['COVEY_BASE_URL']
  if (!baseUrl) return []
  const info = { id: 'COVEY_BASE_URL', kind: 'openai-compatible', tier: 'local' as const }
  try {
    const wish = defined({ baseUrl, model: env['COVEY_MODEL'], apiKey: env['COVEY_API_KEY'] })
    const choice = chooseArm(config, wish, env)
    if (choice.kind !== 'arm') return []
    const tier = choice.settings.local ? 'local' : 'cloud'
    return [{ ...info, tier, ...(await checkArm(choice.settings)) }]
  } catch (error) {
    return [{ ...info, state: 'failed', isOn: false, about: maskUrls(errorMessage(error)) }]
  }
}

function configured({ config, env }: CheckContext): Promise<readonly ProviderInfo[]> {
  const { arms, problems } = routedArms(config, env)
  return Promise.all(
    Object.keys(config.arms).map(async (id) => {
      const { kind = '', base_url: url } = config.arms[id] ?? {}
      const arm = arms.find(({ settings }) => settings.id === id)
      if (!arm) {
        const tier = url !== undefined && isLocalAddress(url) ? 'local' : 'cloud'
        return { id, kind, tier, ...failed(problems[id] ?? 'it cannot be used') }
      }
      const { settings, routing } = arm
      const tier = routing.tier ?? (settings.local ? 'local' : 'cloud')
      const why = whyOff(tier, routing.enabled, config)
      const rest =
        why === undefined ? await checkArm(settings) : ({ state: 'off', isOn: false, about: why } as const)
      return { id, kind, tier, ...rest }
    }),
  )
}

export const CLOUD_OFF = 'off until `router.cloud = true`'

function whyOff(tier: ProviderInfo['tier'], isEnabled: boolean, { router }: Config): string | undefined {
  if (!isEnabled) return 'switched off (`enabled = false`)'
  if (tier === 'cloud' && !router.cloud) return CLOUD_OFF
  return router.tiers.includes(tier) ? undefined : `\`router.tiers\` leaves out ${tier}`
}

type Checked = Pick<ProviderInfo, 'state' | 'isOn' | 'about' | 'models'>

const failed = (about: string): Checked => ({ state: 'failed', isOn: false, about: maskUrls(about) })

async function checkArm(given: ArmSettings): Promise<Checked> {
  try {
    const settings = await settleArm(given, LIMITS, signal)
    const api = await findApi(listAddress(settings), LIMITS, signal)
    const url = maskUrls(settings.baseUrl ?? api.baseUrl)
    const isListed = api.models.length === 0 || api.models.includes(settings.model)
    const note = isListed ? '' : ' (the server does not list this model)'
    return {
      state: 'ready',
      isOn: true,
      about: `${url} ${settings.model}${note}`,
      models: offered(settings, given, api),
    }
  } catch (error) {
    // The lists say its name in front of it.
    const text = errorMessage(error)
    return failed(text.startsWith(`${given.id}: `) ? text.slice(given.id.length + 2) : text)
  }
}

/** The arm's own model first; the others of its server are reached by its address. */
function offered(settings: ArmSettings, given: ArmSettings, { baseUrl, models }: ServerApi): OfferedModel[] {
  const own = { name: settings.model, use: given.id === '' ? '' : `--model ${settings.id}` }
  if (settings.kind !== 'openai-compatible') return [own]
  const others = models.filter((model) => model !== settings.model && isChatModel(model))
  const url = maskUrls(baseUrl)
  return [
    own,
    ...others.map((name) => ({ name, use: useOf(url, name) })),
    ...embeddingModels({ baseUrl, models }, (model) => model).filter(({ name }) => name !== own.name),
  ]
}

const embeddingModels = ({ models }: ServerApi, nameOf: (model: string) => string): OfferedModel[] =>
  models.filter(isEmbeddingModel).map((model) => ({ name: nameOf(model), use: '', embeds: true }))

async function found({ config, paths }: CheckContext): Promise<readonly ProviderInfo[]> {
  if (!config.router.discover) return []
  const { problem } = openConsent(paths)
  const servers = allServers(toServers(config.router, !config.offline))
  return (await Promise.all(servers.map((server) => checkFound(server, problem(server))))).flat()
}

/** Anything may listen on a usual port: only what answers as a model server is mentioned. */
async function checkFound(
  server: ServerAddress,
  refused: string | undefined,
): Promise<readonly ProviderInfo[]> {
  const { name, baseUrl, local = true, isUsual = false } = server
  const info = { id: name, kind: 'found', tier: local ? 'local' : 'cloud' } as const
  try {
    const api = await findApi({ ...settingsAt(server, ''), id: '', baseUrl }, LIMITS, signal)
    if (server.isOwner?.(api.owner) === false) return []
    const chatting = api.models.filter(isChatModel)
    if (refused !== undefined) return [{ ...info, state: 'off', isOn: false, about: refused }]
    const embedding = embeddingModels(api, (model) => `${name}/${model}`)
    if (chatting.length + embedding.length === 0)
      return [{ ...info, ...failed(`${baseUrl} has no model that can chat`) }]
    const models = chatting.map((model) => ({ name: `${name}/${model}`, use: `--model ${name}/${model}` }))
    const use = chatting.length === 0 ? 'for embeddings only' : `its models are called ${name}/MODEL`
    const about = `${maskUrls(baseUrl)}; ${use}`
    return [{ ...info, state: 'ready', isOn: true, about, models: [...models, ...embedding] }]
  } catch (error) {
    if (error instanceof AppError && error.code === 'credential')
      return [{ ...info, ...failed(needsKey(baseUrl)) }]
    return isUsual ? [] : [{ ...info, ...failed(errorMessage(error)) }]
  }
}

const needsKey = (baseUrl: string): string =>
  `${baseUrl} wants a key; add [arms.NAME] with its \`base_url\` and \`api_key\` to config.toml`
