/**
 * Completes the settings of an arm by asking its server: where its API is when the address has no `/v1`, and which model
 * it has when none was named. What was said in full is taken as it is, and nothing is asked.
 */
import { isChatModel } from '../lib/model-ids.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import { findApi, type FindOptions, type ServerApi } from './find-api.ts'
import { shownUrl } from './shown-url.ts'

/** Throws where the server cannot be reached, or does not have exactly one model to choose. */
export async function settleArm(
  settings: ArmSettings,
  options: FindOptions,
  signal: AbortSignal,
): Promise<ArmSettings> {
  const { baseUrl, isModelOpen, ...rest } = settings
  if (settings.kind !== 'openai-compatible' || baseUrl === undefined) return settings
  if (!isModelOpen && /\/v1\/*$/.test(baseUrl)) return settings
  try {
    const api = await findApi({ ...settings, baseUrl }, options, signal)
    if (!isModelOpen) return { ...settings, baseUrl: api.baseUrl }
    const model = onlyModel(api, settings)
    return { ...rest, baseUrl: api.baseUrl, model, id: settings.id || model }
  } catch (error) {
    // A server without a list of models is asked as it was configured; a request shows whether that is right.
    const isServerThere = error instanceof AppError && error.details.connection === undefined
    if (!isModelOpen && isServerThere) return settings
    throw error
  }
}

/** The one that is called like the arm, or the only one. */
function onlyModel({ baseUrl, models }: ServerApi, { id }: ArmSettings): string {
  if (models.includes(id)) return id
  const chatting = models.filter(isChatModel)
  const [model, ...others] = chatting
  if (model === undefined) throw noModel(baseUrl, models, id)
  if (others.length > 0) throw new AppError('config-invalid', choices(shownUrl(baseUrl), chatting, id))
  return model
}

function noModel(baseUrl: string, models: readonly string[], id: string): AppError {
  const why =
    models.length === 0
      ? 'its list of models is empty'
      : `it offers only ${models.slice(0, MAX_SHOWN).join(', ')}`
  return new AppError(
    'model-unavailable',
    `${id === '' ? '' : `${id}: `}${shownUrl(baseUrl)} has no model that can chat: ${why}. ` +
      'Load a model there (Ollama: ollama pull NAME), then try again.',
    { status: 200 },
  )
}

const MAX_SHOWN = 30

function choices(url: string, models: readonly string[], id: string): string {
  const shown = models.slice(0, MAX_SHOWN)
  const more = models.length > MAX_SHOWN ? [`  ... and ${models.length - MAX_SHOWN} more`] : []
  if (id !== '') {
    const lines = shown.map((model) => `  model = ${JSON.stringify(model)}`)
    return [
      `${id}: ${url} has ${models.length} models. Name one under [arms.${/^[\w-]+$/.test(id) ? id : JSON.stringify(id)}]:`,
      ...lines,
      ...more,
    ].join('\n')
  }
  const lines = shown.map((model) => `  covey --base-url ${quoted(url)} --model ${quoted(model)}`)
  return [`${url} has ${models.length} models. Choose one:`, ...lines, ...more].join('\n')
}

/** For a shell, where it needs to be. */
const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
