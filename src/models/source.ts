/**
 * What `covey models pull` is given, as an address to fetch: a catalogue id, `hf:owner/repo/file`, or a plain URL.
 * Pure.
 */
import { AppError } from '../protocol/error.ts'
import { toId, type CatalogEntry } from './catalog.ts'
import type { Quant } from './quant.ts'

export type ModelSource = {
  readonly url: URL
  /** Its name in the model folder. */
  readonly file: string
  readonly bytes?: number
  readonly sha256?: string
  /** The catalogue's, where it is from there. */
  readonly id?: string
  /** For Hugging Face only. */
  readonly token?: string
}

/** HF_ENDPOINT is a mirror, HF_TOKEN opens gated models: the names every tool for Hugging Face uses. */
export type SourceSettings = { readonly endpoint?: string; readonly token?: string }

export const sourceSettings = (env: NodeJS.ProcessEnv): SourceSettings => ({
  ...(env['HF_ENDPOINT'] && { endpoint: env['HF_ENDPOINT'] }),
  ...(env['HF_TOKEN']?.trim() && { token: env['HF_TOKEN'].trim() }),
})

export function catalogSource(entry: CatalogEntry, quant: Quant, settings: SourceSettings): ModelSource {
  const known = entry.files[quant]
  if (!known)
    throw new AppError('config-invalid', `${entry.name}:${entry.size} is not published as ${quant}.`)
  const { file, ...rest } = known
  return {
    ...huggingFace({ repo: entry.repo, revision: entry.revision, file }, settings),
    ...rest,
    id: toId(entry, quant),
  }
}

/** `hf:owner/repo/file.gguf`, `hf:owner/repo@revision/file.gguf` or an address; nothing where it is neither. */
export function addressSource(text: string, settings: SourceSettings): ModelSource | undefined {
  if (text.startsWith('hf:')) return huggingFace(readHuggingFace(text), settings)
  if (!/^https?:\/\//i.test(text)) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.username || url?.password) {
    const text = `The address of ${url.host} holds a password, which is not sent; leave it out.`
    throw new AppError('config-invalid', text)
  }
  const file = fileName(decodeQuietly(url?.pathname.split('/').at(-1) ?? ''))
  if (!url || !file) throw new AppError('config-invalid', `${text} does not end in the name of a .gguf file.`)
  return { url, file }
}

type HuggingFaceFile = { readonly repo: string; readonly revision: string; readonly file: string }

function readHuggingFace(text: string): HuggingFaceFile {
  const [, repo, revision = 'main', file] = /^hf:([\w.-]+\/[\w.-]+)(?:@([\w.-]+))?\/(.+)$/.exec(text) ?? []
  if (repo !== undefined && file !== undefined && fileName(file.split('/').at(-1) ?? '')) {
    return { repo, revision, file }
  }
  const example = 'hf:unsloth/Qwen3.5-4B-GGUF/Qwen3.5-4B-Q4_K_M.gguf'
  throw new AppError('config-invalid', `"${text}" names no file; write it as ${example}.`)
}

const HUGGING_FACE = 'https://huggingface.co'

function huggingFace({ repo, revision, file }: HuggingFaceFile, settings: SourceSettings): ModelSource {
  const { endpoint = HUGGING_FACE, token } = settings
  if (!URL.canParse(endpoint))
    throw new AppError(
      'config-invalid',
      `HF_ENDPOINT is not a URL: ${endpoint}; set it to one such as https://huggingface.co`,
    )
  const path = [...repo.split('/'), 'resolve', revision, ...file.split('/')].map(encodeURIComponent).join('/')
  return {
    url: new URL(`${endpoint.replace(/\/+$/, '')}/${path}`),
    file: file.split('/').at(-1) ?? file,
    ...(token !== undefined && { token }),
  }
}

/** A plain name of a GGUF file, so that nothing is ever written beside the model folder. */
function fileName(name: string): string | undefined {
  return /^[\w+. -]+\.gguf$/i.test(name) && !name.startsWith('.') ? name : undefined
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
