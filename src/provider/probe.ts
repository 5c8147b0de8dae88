/**
 * What a server says about itself before the first request: the context window it really loaded. Only metadata is asked
 * for, all at once, and a server that does not know a question costs nothing: what nobody answers stays unknown.
 */
import { z } from 'zod'
import type { ArmSettings } from '../protocol/arm.ts'

const PATIENCE_MS = 2_000

type Target = { readonly baseUrl: string; readonly model: string; readonly apiKey?: string }

type Question = {
  path(target: Target): string
  windowIn(answer: unknown, target: Target): number | undefined
}

/** The tokens one request may use, or nothing. Makers of cloud models are not asked: they do not say. */
export async function probeWindow({
  kind,
  baseUrl,
  model,
  apiKey,
  known,
}: ArmSettings): Promise<number | undefined> {
  if (known.window !== undefined || kind !== 'openai-compatible' || baseUrl === undefined) return undefined
  const target = { baseUrl, model, ...(apiKey !== undefined && { apiKey }) }
  const answers = await Promise.all(questions.map((question) => ask(question, target)))
  return answers.find((window) => window !== undefined)
}

async function ask({ path, windowIn }: Question, target: Target): Promise<number | undefined> {
  try {
    const response = await fetch(rootOf(target.baseUrl) + path(target), {
      headers: target.apiKey ? { authorization: `Bearer ${target.apiKey}` } : {},
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    return response.ok ? windowIn(await response.json(), target) : undefined
  } catch {
    return undefined
  }
}

const rootOf = (baseUrl: string): string => baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')

const tokens = z.int().min(256)
const Props = z.object({ default_generation_settings: z.object({ n_ctx: tokens }) })
const Running = z.object({
  models: z.array(z.object({ name: z.string(), context_length: tokens.optional() })),
})
const Loaded = z.object({ loaded_context_length: tokens })
const Models = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: tokens.optional(),
      meta: z.object({ n_ctx: tokens.optional() }).nullish(),
    }),
  ),
})

/** In order of trust: what is loaded for one slot before what the model could do. */
const questions: readonly Question[] = [
  {
    // llama.cpp, per slot.
    path: () => '/props',
    windowIn: (answer) => read(Props, answer)?.default_generation_settings.n_ctx,
  },
  {
    // Ollama: only a model that is loaded has a window.
    path: () => '/api/ps',
    windowIn: (answer, { model }) =>
      read(Running, answer)?.models.find(({ name }) => isSame(name, model))?.context_length,
  },
  {
    // LM Studio.
    path: ({ model }) => `/api/v0/models/${encodeURIComponent(model)}`,
    windowIn: (answer) => read(Loaded, answer)?.loaded_context_length,
  },
  {
    // vLLM, and llama.cpp behind a proxy.
    path: () => '/v1/models',
    windowIn(answer, { model }) {
      const list = read(Models, answer)?.data ?? []
      const entry = list.find(({ id }) => id === model) ?? (list.length === 1 ? list[0] : undefined)
      return entry?.max_model_len ?? entry?.meta?.n_ctx
    },
  },
]

const read = <T>(schema: z.ZodType<T>, answer: unknown): T | undefined => schema.safeParse(answer).data

/** Ollama adds `:latest` to a name without a tag. */
const isSame = (name: string, model: string): boolean => name === model || name === `${model}:latest`
