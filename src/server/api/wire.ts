/** Pieces of the wire that several APIs share: content parts, images, the parts of a stream. */
import { z } from 'zod'
import { isObject } from '../../lib/json.ts'
import type { Image } from '../../protocol/message.ts'
import type { JsonSchema } from '../../protocol/model.ts'
import { defineProblem, ProblemError, toErrorBody, toProblem } from '../http/errors.ts'
import type { ErrorShape, StreamPart } from '../http/route.ts'

export const JsonObject = z.record(z.string(), z.unknown())

/** A JSON schema of a client; it is passed on, never read. */
export const Schema: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown())

/** Text or parts; unsupported parts are refused by name in `toContent`. */
export const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))])
export type Content = z.infer<typeof Content>

export type ReadContent = { readonly text: string; readonly images: readonly Image[] }

export function toContent(content: Content | null | undefined, param: string): ReadContent {
  if (!content) return { text: '', images: [] }
  if (typeof content === 'string') return { text: content, images: [] }
  const images = content.flatMap((part) => imageOf(part, param) ?? [])
  const texts = content.flatMap((part) => textOf(part, param) ?? [])
  return { text: texts.join('\n'), images }
}

type Part = { readonly type: string; readonly [key: string]: unknown }

const IMAGES = new Set(['image_url', 'input_image', 'image'])
/** Thoughts are given back by some clients; a model writes its own. */
const SILENT = new Set(['thinking', 'redacted_thinking', 'reasoning'])

function textOf(part: Part, param: string): string | undefined {
  const text = part['text'] ?? part['refusal']
  if (typeof text === 'string') return text
  if (IMAGES.has(part.type) || SILENT.has(part.type)) return undefined
  throw unsupported(param, `content of type ${part.type} cannot be read here; send text or images`)
}

function imageOf(part: Part, param: string): Image | undefined {
  if (!IMAGES.has(part.type)) return undefined
  if (isObject(part['source'])) return fromSource(part['source'], param)
  const given = part['image_url']
  const url = isObject(given) ? given['url'] : given
  return toImage(typeof url === 'string' ? url : '', param)
}

function fromSource({ type, media_type, data }: Record<string, unknown>, param: string): Image {
  if (type === 'base64' && typeof data === 'string' && typeof media_type === 'string')
    return { mediaType: media_type, base64: data }
  throw unsupported(param, NO_FETCH)
}

const NO_FETCH = 'images are not fetched from elsewhere; send them as base64'

/** Only what came with the request: fetching an address a stranger names would reach into this network. */
function toImage(url: string, param: string): Image {
  const inline = /^data:([\w.+/-]{1,60});base64,/.exec(url.slice(0, 80))
  if (!inline) throw unsupported(param, NO_FETCH)
  return { mediaType: inline[1] ?? 'image/png', base64: url.slice(url.indexOf(',') + 1) }
}

export const unsupported = (param: string, why: string): ProblemError =>
  new ProblemError(defineProblem(400, 'unsupported_value', `\`${param}\`: ${why}.`, { param }))

export const toPart = (value: unknown): StreamPart => ({ data: JSON.stringify(value) })

/** As Anthropic's and the Responses API name their events. */
export const toNamedPart = (value: { readonly type: string }): StreamPart => ({
  event: value.type,
  data: JSON.stringify(value),
})

export const toFailure =
  (shape: ErrorShape, requestId: string) =>
  (error: unknown): readonly StreamPart[] => {
    const body = toErrorBody(toProblem(error), shape, requestId)
    return [shape === 'anthropic' ? { event: 'error', ...toPart(body) } : toPart(body)]
  }

export const toSeconds = (ms: number): number => Math.floor(ms / 1000)
