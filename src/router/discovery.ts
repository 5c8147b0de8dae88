/**
 * Local model servers, found by asking their usual ports for a list of models, again and again while the program runs.
 * What vanishes is marked and comes back as the same arm, with all it learnt. Nothing but the list is asked for, and
 * what answers in any other way is not a model server.
 */
import { z } from 'zod'
import type { ArmSettings } from '../protocol/arm.ts'
import type { RouterArm } from './snapshot.ts'

export type ServerAddress = { readonly name: string; readonly baseUrl: string }

/** Where servers listen when nobody says otherwise. */
export const usualServers: readonly ServerAddress[] = [
  { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'llamacpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1' },
]

export type DiscoveryParts = {
  readonly servers: readonly ServerAddress[]
  /** Makes an arm of what was found; may probe it. A throw means: not now, try again at the next look. */
  createModel(settings: ArmSettings): Promise<RouterArm>
  /** Calls again and again until the returned function is called. */
  every(ms: number, look: () => void): () => void
  fetch?: typeof globalThis.fetch
  /** An arm came, went or came back. */
  onChange?(change: { readonly arm: string; readonly state: 'found' | 'gone' | 'back' }): void
}

export type Discovery = {
  /** All that was ever found; those out of reach say so. */
  arms(): readonly RouterArm[]
  /** One look at all servers; at most one at a time. */
  look(): Promise<void>
  stop(): void
}

const EVERY_MS = 30_000

export function startDiscovery(parts: DiscoveryParts): Discovery {
  const seen: Seen = { arms: new Map(), gone: new Map() }
  let looking: Promise<void> | undefined
  const look = (): Promise<void> => {
    looking ??= Promise.all(parts.servers.map((server) => lookAt(server, parts, seen)))
      .then(() => undefined)
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const stop = parts.every(EVERY_MS, () => void look())
  void look()
  return { arms: () => [...seen.arms].map(([id, arm]) => marked(arm, seen.gone.get(id))), look, stop }
}

const AT_ONCE_MS = 400

/** Which servers answer right now with at least one model; whoever takes long is not waited for. */
export async function findServers(
  servers: readonly ServerAddress[],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<readonly ServerAddress[]> {
  const listed = await Promise.all(servers.map((server) => listModels(server, fetch, AT_ONCE_MS)))
  return servers.filter((_, index) => listed[index] !== 'late' && (listed[index]?.length ?? 0) > 0)
}

/** Every arm that was ever found, and for those out of reach why. */
type Seen = { readonly arms: Map<string, RouterArm>; readonly gone: Map<string, string> }

const marked = (arm: RouterArm, gone: string | undefined): RouterArm =>
  gone === undefined ? arm : { ...arm, gone }

async function lookAt(server: ServerAddress, parts: DiscoveryParts, seen: Seen): Promise<void> {
  const listed = await listModels(server, parts.fetch ?? globalThis.fetch)
  // A server that is only busy keeps its arms; a request will tell.
  if (listed === 'late') return
  await Promise.all(listed.map((model) => meet(parts, seen, toSettings(server, model))))
  const present = new Set(listed.map((model) => armId(server, model)))
  for (const id of seen.arms.keys()) {
    if (!id.startsWith(`${server.name}/`) || present.has(id) || seen.gone.has(id)) continue
    seen.gone.set(id, `${server.name} no longer offers it`)
    parts.onChange?.({ arm: id, state: 'gone' })
  }
}

async function meet(
  { createModel, onChange }: DiscoveryParts,
  { arms, gone }: Seen,
  settings: ArmSettings,
): Promise<void> {
  const { id } = settings
  if (arms.has(id)) {
    if (gone.delete(id)) onChange?.({ arm: id, state: 'back' })
    return
  }
  try {
    arms.set(id, await createModel(settings))
  } catch {
    return
  }
  onChange?.({ arm: id, state: 'found' })
}

const armId = ({ name }: ServerAddress, model: string): string => `${name}/${model}`

const toSettings = (server: ServerAddress, model: string): ArmSettings => ({
  id: armId(server, model),
  kind: 'openai-compatible',
  model,
  baseUrl: server.baseUrl,
  headers: {},
  local: true,
  known: {},
})

const PATIENCE_MS = 2_000
const MAX_BYTES = 1024 * 1024
const MAX_MODELS = 100
const Models = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) })

/** The models a server offers for chatting; none where there is no such server. */
async function listModels(
  { baseUrl }: ServerAddress,
  fetch: typeof globalThis.fetch,
  patienceMs = PATIENCE_MS,
): Promise<readonly string[] | 'late'> {
  const limit = AbortSignal.timeout(patienceMs)
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      redirect: 'manual',
      signal: limit,
    })
    if (!response.ok) return []
    const { data } = Models.safeParse(JSON.parse(await boundedText(response)))
    const ids = data?.data.map(({ id }) => id) ?? []
    return ids.filter((id) => !NOT_FOR_CHAT.test(id)).slice(0, MAX_MODELS)
  } catch {
    return limit.aborted ? 'late' : []
  }
}

const NOT_FOR_CHAT = /embed|rerank|whisper|tts|(?:^|[-/])bge-|clip\b/i

/** Anything may listen on port 8080: no more is read than a list of models can need. */
async function boundedText(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_BYTES) throw new Error('not a list of models')
  }
  return text
}
