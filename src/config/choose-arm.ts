/**
 * Which model answers: flags before configuration, and an error that names the next step where nothing is said. Pure.
 */
import type { ArmSettings, EmissionMode } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { editFormFor } from '../lib/model-size.ts'
import { defined } from '../lib/object.ts'
import { isLocalAddress } from './address.ts'
import type { armRouting } from './router.ts'
import { armSchema, requireArm, type ResolvedArm, unknownArm } from './arm.ts'
import type { Config } from './schema.ts'
import { NANO_ID } from '../protocol/nano-id.ts'

export type ArmWish = {
  readonly model?: string
  readonly baseUrl?: string
  readonly provider?: ArmSettings['kind']
  readonly apiKey?: string
  /** The variable that the key came from. */
  readonly apiKeyEnv?: string
  readonly window?: number
  /** The best model on this machine that fits it. */
  readonly auto?: boolean
}

export type ArmChoice =
  /** A model of the catalogue or of this machine by its name, `name:size:quant`, or `auto`. */
  | {
      readonly kind: 'named'
      readonly wish: string
      /** What to say where no model has that name either. */
      readonly noArm?: string
    }
  | { readonly kind: 'scripted'; readonly path: string }
  | { readonly kind: 'gguf'; readonly path: string }
  | { readonly kind: 'nano'; readonly why: string }
  | { readonly kind: 'arm'; readonly settings: ArmSettings; readonly why: string }
  /** No arm was chosen: the router chooses. */
  | { readonly kind: 'routed' }

const SCRIPTED = 'scripted:'

export function chooseArm(config: Config, wish: ArmWish, env: NodeJS.ProcessEnv): ArmChoice {
  const chosen = (arm: ResolvedArm, why: string): ArmChoice => ({
    kind: 'arm',
    settings: toSettings(wish.window === undefined ? arm : { ...arm, window: wish.window }),
    why,
  })
  if (wish.baseUrl !== undefined || wish.provider !== undefined)
    return chosen(adHoc(wish, env), 'named by flags')
  if (wish.auto) return { kind: 'named', wish: 'auto' }
  const model = wish.model ?? config.model
  if (model?.startsWith(SCRIPTED)) return { kind: 'scripted', path: model.slice(SCRIPTED.length) }
  if (model === NANO_ID) return { kind: 'nano', why: 'chosen by name' }
  if (model?.endsWith('.gguf')) return { kind: 'gguf', path: model }
  if (model?.includes(':') && !Object.hasOwn(config.arms, model)) return { kind: 'named', wish: model }
  const ids = Object.keys(config.arms)
  if (model !== undefined && !ids.includes(model))
    return { kind: 'named', wish: model, noArm: unknownArm(model, ids) }
  if (model !== undefined) return chosen(requireArm(config.arms, model, env), 'chosen by name')
  if (ids.length === 0) return { kind: 'nano', why: 'nothing else is configured' }
  const [only = '', ...others] = ids
  if (others.length > 0) return { kind: 'routed' }
  return chosen(requireArm(config.arms, only, env), 'the only arm configured')
}

/** An arm without a configuration file. Without a model it has no name yet: the server is asked which it has. */
function adHoc(wish: ArmWish, env: NodeJS.ProcessEnv): ResolvedArm {
  const { model, baseUrl, provider = 'openai-compatible' } = wish
  if (provider === 'openai-compatible' && baseUrl === undefined) {
    throw new AppError(
      'config-invalid',
      '--provider openai-compatible needs the address of a server; add --base-url http://127.0.0.1:8080/v1',
    )
  }
  if (provider !== 'openai-compatible' && model === undefined) {
    throw new AppError('config-invalid', `--provider ${provider} needs the name of a model; add --model NAME`)
  }
  const key = adHocKey(wish, provider, env)
  const arm = armSchema.parse({
    kind: provider,
    ...(baseUrl && { base_url: baseUrl }),
    ...(key.value && { api_key: key.value }),
  })
  const name = model ?? ''
  return { ...arm, id: name, model: name, keyHint: adHocHint(key), ...(name === '' && { isModelOpen: true }) }
}

type AdHocKey = { readonly value?: string | undefined; readonly variable: string }

/** A maker's own key goes to the maker's own host only: it must not leak to another server. */
function adHocKey(wish: ArmWish, provider: ArmSettings['kind'], env: NodeJS.ProcessEnv): AdHocKey {
  const { apiKey, apiKeyEnv = 'COVEY_API_KEY', baseUrl } = wish
  const maker = makers.find(({ kind, host }) =>
    baseUrl === undefined ? kind === provider : new URL(baseUrl).hostname === host,
  )
  if (apiKey !== undefined || !maker) return { value: apiKey, variable: apiKeyEnv }
  const [first] = maker.variables
  const variable = maker.variables.find((name) => env[name]) ?? first
  return { value: env[variable], variable }
}

const adHocHint = ({ value, variable }: AdHocKey): string =>
  value
    ? `The server refused the key in ${variable}. Correct it: export ${variable}=KEY`
    : `The server wants a key and none was sent. Set it: export ${variable}=KEY, or name another variable with ` +
      '--api-key-env NAME; for an arm of config.toml set `api_key`.'

/** Where the makers' own programs look for a key, and where it may be sent. */
const makers = [
  { kind: 'openai', host: 'api.openai.com', variables: ['OPENAI_API_KEY'] },
  { kind: 'anthropic', host: 'api.anthropic.com', variables: ['ANTHROPIC_API_KEY'] },
  {
    kind: 'google',
    host: 'generativelanguage.googleapis.com',
    variables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  },
] as const satisfies readonly {
  kind: ArmSettings['kind']
  host: string
  variables: readonly [string, ...string[]]
}[]

export type RoutedArm = {
  readonly settings: ArmSettings
  readonly routing: Pick<ResolvedArm, keyof typeof armRouting>
}

/** Every arm that can be used; one whose key is missing is left out, and said so. */
export function routedArms(
  { arms }: Pick<Config, 'arms'>,
  env: NodeJS.ProcessEnv,
): { readonly arms: readonly RoutedArm[]; readonly problems: Readonly<Record<string, string>> } {
  const found: RoutedArm[] = []
  const problems: Record<string, string> = {}
  for (const id of Object.keys(arms)) {
    try {
      const arm = requireArm(arms, id, env)
      found.push({ settings: toSettings(arm), routing: arm })
    } catch (error) {
      problems[id] = errorMessage(error)
    }
  }
  return { arms: found, problems }
}

function toSettings(arm: ResolvedArm): ArmSettings {
  const { id, kind, model, headers, keyHint, isModelOpen } = arm
  return {
    id,
    kind,
    model,
    headers,
    local: arm.local ?? isLocalAddress(arm.base_url),
    known: toKnown(arm),
    ...defined({ baseUrl: arm.base_url, apiKey: arm.api_key }),
    keyHint,
    ...(isModelOpen && { isModelOpen }),
    ...defined({ thinking: arm.thinking, temperature: arm.temperature }),
  }
}

function toKnown(arm: ResolvedArm): ArmSettings['known'] {
  return defined({
    window: arm.window,
    tools: arm.tools,
    dialect: arm.dialect,
    emission: arm.emission && toEmission(arm.emission, arm.dialect),
    reasoning: arm.reasoning,
    editForm: arm.edit_form ?? (arm.parameters === undefined ? undefined : editFormFor(arm.parameters)),
    requiredChoice: arm.required_choice,
    prefill: arm.prefill,
    vision: arm.vision,
  })
}

const toEmission = (
  { base, strict, no_system: noSystem }: NonNullable<ResolvedArm['emission']>,
  dialect: string | undefined,
): EmissionMode => ({ base, strict, noSystem, ...defined({ dialect }) })
