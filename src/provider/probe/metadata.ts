/**
 * What a server says about itself. All questions go out at once, and one that a server does not know costs nothing:
 * LM Studio answers every path with 200, so only the shape of an answer counts.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { shortHash } from '../../lib/hash.ts'
import { LLAMA_CPP_PYTHON_OWNER } from '../../lib/model-ids.ts'
import { AppError } from '../../protocol/error.ts'
import { found, mergeFindings, type FindingName, type Findings } from './findings.ts'
import type { ServerClient } from '../server-client.ts'
import { templateFindings } from './template.ts'

const PATIENCE_MS = 2_000

type Said = { readonly [Name in FindingName]?: Findings[Name] | undefined }

type Question = {
  readonly path: string
  readonly query?: (model: string) => string
  readonly body?: (model: string) => object
  /** `from` names the question, for the findings. */
  read(answer: unknown, model: string, from: string): Said | undefined
}

/** A server that still loads its model is asked again until `patience` ends. */
export async function probeMetadata(
  client: ServerClient,
  model: string,
  patience: AbortSignal,
  signal: AbortSignal,
): Promise<Findings> {
  for (;;) {
    const limit = AbortSignal.any([signal, patience, AbortSignal.timeout(PATIENCE_MS)])
    const said = await Promise.all(questions.map((question) => ask(question, client, model, limit)))
    if (patience.aborted || signal.aborted || !said.includes(LOADING)) {
      const further = furtherQuestion(said)
      return joined(further ? [...said, await ask(further, client, model, limit)] : said, model)
    }
    await wait(POLL_MS)
  }
}

const POLL_MS = 500

/** A POST, and a GET of a long page, go only to a server that is known to have the path. */
function furtherQuestion(said: readonly Said[]): Question | undefined {
  const kinds = new Set(said.map(({ server }) => server?.value))
  if (kinds.has('ollama')) return ollamaShow
  return kinds.has('llama-cpp-python') ? openApiPage : undefined
}

async function joined(said: readonly Said[], model: string): Promise<Findings> {
  const findings = mergeFindings({ server: UNKNOWN }, ...said)
  const template = findings.template?.value
  return mergeFindings(
    ...(template === undefined ? [] : [await templateFindings(template)]),
    findings,
    digestOf(findings, [model, ...said.map(({ digest }) => digest?.value)]),
  )
}

const UNKNOWN = { value: 'unknown', from: 'no question of a known server was answered' } as const

async function ask(
  { path, query, body, read }: Question,
  client: ServerClient,
  model: string,
  signal: AbortSignal,
): Promise<Said> {
  try {
    const asked = body?.(model)
    const target = path + (query?.(model) ?? '')
    const answer = await (asked ? client.post(target, asked, signal) : client.get(target, signal))
    return read(answer, model, `${asked ? 'POST' : 'GET'} ${path}`) ?? {}
  } catch (error) {
    return error instanceof AppError && error.details.loading ? LOADING : {}
  }
}

const LOADING: Said = {}

/** All that tells one set of weights, served by one build in one way, from another. */
function digestOf({ server, version, template, largestWindow }: Findings, names: readonly unknown[]): Said {
  const served = [server, version, template, largestWindow].map((finding) => finding?.value)
  return { digest: found(shortHash(JSON.stringify([names, served])), 'all that names the weights') }
}

const parse = <T>(schema: z.ZodType<T>, answer: unknown): T | undefined => schema.safeParse(answer).data

const tokens = z.int().min(256)
const text = z.string().min(1)

const ModelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: z.string().optional(),
      root: z.string().optional(),
      max_model_len: tokens.optional(),
      meta: z
        .object({ n_ctx: tokens.optional(), n_ctx_train: tokens.optional(), size: z.number().optional() })
        .nullish(),
    }),
  ),
})

const Version = z.object({ version: text })

const LmStudioModel = z.object({
  id: z.string(),
  type: z.enum(['llm', 'vlm', 'embeddings']),
  state: z.string().optional(),
  arch: z.string().optional(),
  quantization: z.string().optional(),
  max_context_length: tokens.optional(),
  loaded_context_length: tokens.optional(),
})
const LmStudioList = z.object({ data: z.array(LmStudioModel) })

const OllamaModel = z.object({ name: z.string(), digest: text, context_length: tokens.optional() })
const OllamaList = z.object({ models: z.array(OllamaModel) })
const OllamaShow = z.object({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()),
})

const Props = z.object({
  default_generation_settings: z.object({ n_ctx: tokens }),
  total_slots: z.int().positive().optional(),
  chat_template: text.optional(),
  bos_token: z.string().optional(),
  eos_token: z.string().optional(),
  build_info: text.optional(),
  model_path: text.optional(),
  modalities: z.object({ vision: z.boolean().optional() }).optional(),
  chat_template_caps: z.object({ supports_tools: z.boolean().optional() }).optional(),
})

/** In order of trust: what is loaded for one slot comes last and wins over what the model could do. */
const questions: readonly Question[] = [
  {
    // vLLM, and llama.cpp behind a proxy.
    path: '/v1/models',
    read(answer, model, from) {
      const list = parse(ModelList, answer)?.data ?? []
      const entry = list.find(({ id }) => id === model) ?? (list.length === 1 ? list[0] : undefined)
      if (!entry) return undefined
      return {
        ...(entry.owned_by === 'vllm' && { server: found('vllm', from) }),
        // Its page says whether it is; until then nothing else is concluded.
        ...(entry.owned_by === LLAMA_CPP_PYTHON_OWNER && { server: found('llama-cpp-python', from) }),
        window: found(entry.max_model_len ?? entry.meta?.n_ctx, from),
        largestWindow: found(entry.max_model_len ?? entry.meta?.n_ctx_train, from),
        digest: found(JSON.stringify([entry.root, entry.meta?.size]), from),
      }
    },
  },
  {
    path: '/version',
    read: (answer, _model, from) => ({ version: found(parse(Version, answer)?.version, from) }),
  },
  {
    path: '/api/v0/models',
    read(answer, model, from) {
      const list = parse(LmStudioList, answer)?.data ?? []
      const loaded = list.filter(({ state }) => state === 'loaded')
      // A name it does not know gets the model that is there.
      const entry = list.find(({ id }) => id === model) ?? (loaded.length === 1 ? loaded[0] : undefined)
      if (!entry) return undefined
      return {
        server: found('lm-studio', from),
        window: found(entry.loaded_context_length, from),
        largestWindow: found(entry.max_context_length, from),
        vision: found(entry.type === 'vlm', from),
        ...(entry.type === 'embeddings' && { embeddings: found(true, from) }),
        digest: found(JSON.stringify([entry.arch, entry.quantization]), from),
      }
    },
  },
  {
    path: '/api/version',
    read: (answer, _model, from) => ({ version: found(parse(Version, answer)?.version, from) }),
  },
  {
    path: '/api/tags',
    read(answer, model, from) {
      if (!parse(OllamaList, answer)) return undefined
      return { server: found('ollama', from), digest: found(ollamaModel(answer, model)?.digest, from) }
    },
  },
  {
    // Only a model that is loaded has a window.
    path: '/api/ps',
    read: (answer, model, from) => ({ window: found(ollamaModel(answer, model)?.context_length, from) }),
  },
  {
    path: '/props',
    // One llama.cpp may serve several models; to say what one can do it need not load it.
    query: (model) => `?model=${encodeURIComponent(model)}&autoload=false`,
    read(answer, _model, from) {
      const props = parse(Props, answer)
      if (!props) return undefined
      return {
        server: found('llama.cpp', from),
        version: found(props.build_info, from),
        digest: found(props.model_path, from),
        window: found(props.default_generation_settings.n_ctx, from),
        slots: found(props.total_slots, from),
        vision: found(props.modalities?.vision, from),
        template: found(props.chat_template, from),
        bos: found(props.bos_token, from),
        eos: found(props.eos_token, from),
        // Tools sent by chat are dropped without a word. That it takes them is no promise that the model calls them.
        ...(props.chat_template_caps?.supports_tools === false && { nativeTools: found(false, from) }),
      }
    },
  },
]

const ollamaShow: Question = {
  path: '/api/show',
  body: (model) => ({ model }),
  read(answer, _model, from) {
    const shown = parse(OllamaShow, answer)
    if (!shown) return undefined
    const { capabilities } = shown
    return {
      largestWindow: found(contextLength(shown.model_info), from),
      vision: found(capabilities?.includes('vision'), from),
      embeddings: found(capabilities?.includes('embedding'), from),
      nativeTools: found(capabilities?.includes('tools'), from),
    }
  },
}

const OpenApi = z.object({ info: z.object({ title: z.string(), version: text }) })

/** llama-cpp-python tells nothing of window, template or slots; that it is that server tells the rest. */
const openApiPage: Question = {
  path: '/openapi.json',
  read(answer, _model, from) {
    const info = parse(OpenApi, answer)?.info
    if (!info || !/llama\.cpp python/i.test(info.title)) return { server: UNKNOWN }
    return {
      server: found('llama-cpp-python', from),
      version: found(info.version, from),
      // Another request interrupts the one it works on.
      slots: found(1, from),
      // It reads no calls out of replies, and drops tools where the template has no place for them.
      nativeTools: found(false, from),
    }
  },
}

/** The entry of one model in a list of Ollama's, which adds `:latest` to a name without a tag. */
const ollamaModel = (answer: unknown, model: string): z.output<typeof OllamaModel> | undefined =>
  parse(OllamaList, answer)?.models.find(({ name }) => name === model || name === `${model}:latest`)

/** Stands under the name of the architecture: `qwen2.context_length`. */
const contextLength = (info: Readonly<Record<string, unknown>>): number | undefined =>
  parse(tokens, Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1])

/** The window Ollama has loaded a model with, if it has. */
export async function loadedWindow(
  client: ServerClient,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  return ollamaModel(await client.get('/api/ps', signal), model)?.context_length
}
