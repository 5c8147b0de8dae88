/**
 * The models Ollama has: a manifest for each name and tag, which points to blobs named by their hash. The blob of
 * weights is a GGUF file and can be used where it lies. A manifest belongs to another program: only hashes are taken
 * from it.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { z } from 'zod'
import type { LocalModel } from './local/model.ts'
import { readQuant } from './quant.ts'

const Manifest = z.object({
  config: z.object({ digest: z.string() }).optional(),
  layers: z.array(z.object({ mediaType: z.string(), digest: z.string() })),
})

const Config = z.object({ file_type: z.string().optional() })

const WEIGHTS = 'application/vnd.ollama.image.model'
/** A tuning on top of the weights; without it the model is another one. */
const ADAPTER = 'application/vnd.ollama.image.adapter'

export async function ollamaModels(folder: string): Promise<readonly LocalModel[]> {
  const manifests = join(folder, 'manifests')
  const entries = await readdir(manifests, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const models = await Promise.all(files.map((file) => readModel(folder, manifests, file)))
  return models.filter((model) => model !== undefined)
}

async function readModel(folder: string, manifests: string, file: string): Promise<LocalModel | undefined> {
  const manifest = Manifest.safeParse(await readJson(file)).data
  const weights = manifest?.layers.filter(({ mediaType }) => mediaType === WEIGHTS) ?? []
  const isWhole = weights.length === 1 && !manifest?.layers.some(({ mediaType }) => mediaType === ADAPTER)
  const path = isWhole ? blobPath(folder, weights[0]?.digest) : undefined
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  if (path === undefined || !found?.isFile()) return undefined
  const config = blobPath(folder, manifest?.config?.digest)
  const type = config && Config.safeParse(await readJson(config)).data?.file_type
  const [quant] = readQuant(type ?? '')
  const name = modelName(relative(manifests, file))
  // The tag 7b-instruct-q4_K_M says more than the catalogue's ids do; the size before the first dash is what they
  // share.
  const id = quant ? `${name.replace(/^([^:]+:[^-]+)-.*$/, '$1')}:${quant}` : name
  return { id: id.toLowerCase(), name, path, bytes: found.size, source: 'ollama', ...(quant && { quant }) }
}

/** `registry.ollama.ai/library/qwen3/8b` is `qwen3:8b`; other registries and owners are part of the name. */
function modelName(path: string): string {
  const parts = path.split(sep)
  const tag = parts.pop() ?? ''
  const name = parts.join('/').replace(/^registry\.ollama\.ai\/(?:library\/)?/, '')
  return `${name}:${tag}`
}

function blobPath(folder: string, digest: string | undefined): string | undefined {
  const hash = /^sha256:([0-9a-f]{64})$/.exec(digest ?? '')?.[1]
  return hash === undefined ? undefined : join(folder, 'blobs', `sha256-${hash}`)
}

const LARGEST_JSON = 1 << 20

async function readJson(path: string): Promise<unknown> {
  try {
    if ((await stat(path)).size > LARGEST_JSON) return undefined
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch {
    return undefined
  }
}
