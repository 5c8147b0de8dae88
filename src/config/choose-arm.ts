/** Which model answers: flags before configuration, and an error that names the next step where nothing is said. Pure. */
import type { ArmSettings, EmissionMode } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import { editFormFor } from '../lib/model-size.ts'
import { withoutUndefined } from '../lib/object.ts'
import { isLocalAddress } from './address.ts'
import type { armRouting } from './router.ts'
import { armSchema, requireArm, type ResolvedArm } from './arm.ts'
import type { Config } from './schema.ts'

export type ArmWish = {
  readonly model?: string
  readonly baseUrl?: string
  readonly provider?: ArmSettings['kind']
  readonly apiKey?: string
  readonly window?: number
  /** The best model on this machine that fits it. */
  readonly auto?: boolean
}

export type ArmChoice =
  /** A model of the catalogue or of this machine by its name, `name:size:quant`, or `auto`. */
  | { readonly kind: 'named'; readonly wish: string }
  | { readonly kind: 'scripted'; readonly path: string }
  | { readonly kind: 'gguf'; readonly path: string }
  | { readonly kind: 'nano'; readonly why: string }
  | { readonly kind: 'arm'; readonly settings: ArmSettings; readonly why: string }
  /** Nobody chose: the router does. */
  | { readonly kind: 'routed' }

const SCRIPTED = 'scripted:'
const NANO = 'covey/nano'

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
  if (model === NANO) return { kind: 'nano', why: 'chosen by name' }
  if (model?.endsWith('.gguf')) return { kind: 'gguf', path: model }
  if (model?.includes(':') && !Object.hasOwn(config.arms, model)) return { kind: 'named', wish: model }
  if (model !== undefined) return chosen(requireArm(config.arms, model, env), 'chosen by name')
  const ids = Object.keys(config.arms)
  if (ids.length === 0) return { kind: 'nano', why: 'nothing else is configured' }
  const [only = '', ...others] = ids
  if (others.length > 0) return { kind: 'routed' }
  return chosen(requireArm(config.arms, only, env), 'the only arm configured')
}

/** An arm without a configuration file. */
function adHoc(
  { model, baseUrl, provider = 'openai-compatible', apiKey }: ArmWish,
  env: NodeJS.ProcessEnv,
): ResolvedArm {
  if (provider === 'openai-compatible' && baseUrl === undefined) {
    throw new AppError(
      'config-invalid',
      '--provider openai-compatible needs --base-url, such as http://127.0.0.1:8080/v1',
    )
  }
  if (provider !== 'openai-compatible' && model === undefined) {
    throw new AppError('config-invalid', `--provider ${provider} needs --model`)
  }
  const key = apiKey ?? KEYS[provider].map((name) => env[name]).find(Boolean)
  const arm = armSchema.parse({
    kind: provider,
    ...(baseUrl && { base_url: baseUrl }),
    ...(key && { api_key: key }),
  })
  return { ...arm, id: model ?? 'default', model: model ?? 'default' }
}

/** Where the makers' own programs look for a key. */
const KEYS: Readonly<Record<ArmSettings['kind'], readonly string[]>> = {
  'openai-compatible': [],
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
}

export type RoutedArm = {
  readonly settings: ArmSettings
  readonly routing: Pick<ResolvedArm, keyof typeof armRouting>
}

/** Every arm that can be used; one whose key is missing is left out, and said so. */
export function routedArms(
  { arms }: Pick<Config, 'arms'>,
  env: NodeJS.ProcessEnv,
): { readonly arms: readonly RoutedArm[]; readonly warnings: readonly string[] } {
  const found: RoutedArm[] = []
  const warnings: string[] = []
  for (const id of Object.keys(arms)) {
    try {
      const arm = requireArm(arms, id, env)
      found.push({ settings: toSettings(arm), routing: arm })
    } catch (error) {
      warnings.push(errorMessage(error))
    }
  }
  return { arms: found, warnings }
}

function toSettings(arm: ResolvedArm): ArmSettings {
  const { id, kind, model, headers } = arm
  return {
    id,
    kind,
    model,
    headers,
    local: arm.local ?? isLocalAddress(arm.base_url),
    known: toKnown(arm),
    ...(arm.base_url !== undefined && { baseUrl: arm.base_url }),
    ...(arm.api_key !== undefined && { apiKey: arm.api_key }),
    ...(arm.thinking !== undefined && { thinking: arm.thinking }),
    ...(arm.temperature !== undefined && { temperature: arm.temperature }),
  }
}

function toKnown(arm: ResolvedArm): ArmSettings['known'] {
  return withoutUndefined({
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
): EmissionMode => ({ base, strict, noSystem, ...(dialect !== undefined && { dialect }) })
