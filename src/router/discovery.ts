/**
 * Local model servers, found by asking their usual ports for a list of models, again and again while the program runs.
 * What vanishes is marked and comes back as the same arm, with all it learnt. Nothing but the list is asked for, and
 * what answers in any other way is not a model server.
 */
import {
  isChatModel,
  isEmbeddingModel,
  LLAMA_CPP_PYTHON_OWNER,
  modelIdsIn,
  ownerIn,
} from '../lib/model-ids.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import type { RouterArm } from './snapshot.ts'

export type ServerAddress = {
  readonly name: string
  readonly baseUrl: string
  /** On this machine or its network; absent = it is. */
  readonly local?: boolean
  /** Looked for because servers usually listen there, not because a person said so. */
  readonly isUsual?: boolean
  /** Several programs listen on one port by default: whether a list of models with this owner is this one's. */
  readonly isOwner?: (owner: string | undefined) => boolean
}

/** The default addresses of model servers. */
export const usualServers: readonly ServerAddress[] = [
  { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', isUsual: true },
  { name: 'llamacpp', baseUrl: 'http://127.0.0.1:8080/v1', isUsual: true },
  { name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1', isUsual: true },
  {
    name: 'vllm',
    baseUrl: 'http://127.0.0.1:8000/v1',
    isUsual: true,
    isOwner: (owner) => owner !== LLAMA_CPP_PYTHON_OWNER,
  },
  {
    name: 'llama-cpp-python',
    baseUrl: 'http://127.0.0.1:8000/v1',
    isUsual: true,
    isOwner: (owner) => owner === LLAMA_CPP_PYTHON_OWNER,
  },
]

/** All servers to look at. Of two with one name or one address, only what the person says counts. */
export function allServers(further: readonly ServerAddress[]): readonly ServerAddress[] {
  const isSame = (one: ServerAddress, other: ServerAddress): boolean =>
    one.name === other.name || isSameAddress(one.baseUrl, other.baseUrl)
  return [...usualServers.filter((usual) => !further.some((other) => isSame(usual, other))), ...further]
}

/** With or without `/v1`, by name or by number: it is the same server. */
export const isSameAddress = (one: string, other: string): boolean =>
  plainAddress(one) === plainAddress(other)

const plainAddress = (address: string): string =>
  withoutSlash(address)
    .replace(/\/v1$/, '')
    .replace(/^(https?:\/\/)localhost(?=[:/]|$)/i, (_, scheme: string) => `${scheme}127.0.0.1`)

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

export type DiscoveryParts = {
  readonly servers: readonly ServerAddress[]
  /** Makes an arm of what was found; may probe it. A throw means: not now, try again at the next look. */
  createModel(settings: ArmSettings): Promise<RouterArm>
  /** Calls again and again until the returned function is called. */
  every(ms: number, look: () => void): () => void
  fetch?: typeof globalThis.fetch
  /** Why a server may not be used at this moment; asked at every look and before every use. */
  problem?(server: ServerAddress): string | undefined
  /** A server is there and may not be used; told once for each reason. */
  onRefused?(server: ServerAddress, why: string): void
  /** An arm came, went or came back. */
  onChange?(change: { readonly arm: string; readonly state: 'found' | 'gone' | 'back' }): void
}

export type Discovery = {
  /** All that was found so far; those out of reach say so, and of very many the first are forgotten. */
  arms(): readonly RouterArm[]
  /** One look at all servers; at most one at a time. */
  look(): Promise<void>
  /** No arm is made after this. */
  stop(): void
}

const EVERY_MS = 30_000

export function startDiscovery(parts: DiscoveryParts): Discovery {
  const seen: Seen = { arms: new Map(), servers: new Map(), gone: new Map(), told: new Set(), stopped: false }
  let looking: Promise<void> | undefined
  const look = (): Promise<void> => {
    looking ??= Promise.all(parts.servers.map((server) => lookAt(server, parts, seen)))
      .then(() => undefined)
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const stopTimer = parts.every(EVERY_MS, () => void look())
  void look()
  return {
    arms: () =>
      [...seen.arms].map(([id, arm]) => marked(arm, seen.gone.get(id) ?? refusedNow(id, parts, seen))),
    look,
    stop() {
      seen.stopped = true
      stopTimer()
    },
  }
}

const AT_ONCE_MS = 400

/** Which servers answer right now with at least one model; slow servers are not waited for. */
export async function findServers(
  servers: readonly ServerAddress[],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<readonly ServerAddress[]> {
  const listed = await Promise.all(
    servers.map((server) => listModels(server, fetch, { patienceMs: AT_ONCE_MS })),
  )
  return servers.filter((_, index) => listed[index] !== 'late' && (listed[index]?.length ?? 0) > 0)
}

/** The first model for embeddings that a server offers right now; slow servers are not waited for. */
export async function findEmbeddingModel({
  servers,
  problem,
  fetch = globalThis.fetch,
}: Pick<DiscoveryParts, 'servers' | 'problem' | 'fetch'>): Promise<ArmSettings | undefined> {
  const wish = { patienceMs: AT_ONCE_MS, isWanted: isEmbeddingModel }
  const listed = await Promise.all(servers.map((server) => listModels(server, fetch, wish)))
  for (const [index, server] of servers.entries()) {
    const models = listed[index]
    const model = models === 'late' ? undefined : models?.[0]
    if (model !== undefined && problem?.(server) === undefined) return settingsAt(server, model)
  }
  return undefined
}

/** Every arm that was found, whose it is, and for those out of reach why. */
type Seen = {
  readonly arms: Map<string, RouterArm>
  readonly servers: Map<string, string>
  readonly gone: Map<string, string>
  /** What was said of servers that may not be used. */
  readonly told: Set<string>
  stopped: boolean
}

/** Another program may have taken the port since it was found. */
function refusedNow(id: string, { servers, problem }: DiscoveryParts, seen: Seen): string | undefined {
  const server = servers.find(({ name }) => name === seen.servers.get(id))
  return server && problem?.(server)
}

const marked = (arm: RouterArm, gone: string | undefined): RouterArm =>
  gone === undefined ? arm : { ...arm, gone }

async function lookAt(server: ServerAddress, parts: DiscoveryParts, seen: Seen): Promise<void> {
  const listed = await listAllowed(server, parts, seen)
  // A server that is only busy keeps its arms; a request will tell.
  if (listed === 'late' || seen.stopped) return
  await Promise.all(listed.map((model) => meet(parts, seen, { server, model })))
  const present = new Set(listed.map((model) => armId(server, model)))
  for (const [id, owner] of seen.servers) {
    if (owner !== server.name || present.has(id) || seen.gone.has(id)) continue
    seen.gone.set(id, `${server.name} no longer offers it`)
    parts.onChange?.({ arm: id, state: 'gone' })
  }
  forget(seen)
}

/**
 * A server that may not be used offers nothing, however it answers. Looked at again afterwards: the port may change
 * hands.
 */
async function listAllowed(
  server: ServerAddress,
  { problem, onRefused, fetch = globalThis.fetch }: DiscoveryParts,
  { told }: Seen,
): Promise<readonly string[] | 'late'> {
  const listed = await listModels(server, fetch)
  const why = listed === 'late' || listed.length > 0 ? problem?.(server) : undefined
  if (why === undefined) return listed
  if (!told.has(why)) onRefused?.(server, why)
  told.add(why)
  return []
}

const MAX_ARMS = 500

/** What answers may claim new models for ever; those that went first make room. */
function forget({ arms, servers, gone }: Seen): void {
  for (const id of gone.keys()) {
    if (arms.size <= MAX_ARMS) return
    for (const map of [arms, servers, gone]) map.delete(id)
  }
}

async function meet(
  { createModel, onChange }: DiscoveryParts,
  { arms, servers, gone }: Seen,
  { server, model }: { readonly server: ServerAddress; readonly model: string },
): Promise<void> {
  const id = armId(server, model)
  if (arms.has(id)) {
    if (gone.delete(id)) onChange?.({ arm: id, state: 'back' })
    return
  }
  try {
    arms.set(id, await createModel(settingsAt(server, model)))
    servers.set(id, server.name)
  } catch {
    return
  }
  onChange?.({ arm: id, state: 'found' })
}

const armId = ({ name }: ServerAddress, model: string): string => `${name}/${model}`

export const settingsAt = (server: ServerAddress, model: string): ArmSettings => ({
  id: armId(server, model),
  kind: 'openai-compatible',
  model,
  baseUrl: server.baseUrl,
  headers: {},
  local: server.local ?? true,
  known: {},
})

type ListWish = { readonly patienceMs?: number; readonly isWanted?: (id: string) => boolean }

const PATIENCE_MS = 2_000
const MAX_BYTES = 1024 * 1024

/** The models a server offers, for chatting unless others are wanted; none where there is no such server. */
async function listModels(
  { baseUrl, isOwner }: ServerAddress,
  fetch: typeof globalThis.fetch,
  { patienceMs = PATIENCE_MS, isWanted = isChatModel }: ListWish = {},
): Promise<readonly string[] | 'late'> {
  const limit = AbortSignal.timeout(patienceMs)
  try {
    const response = await fetch(`${withoutSlash(baseUrl)}/models`, {
      redirect: 'manual',
      signal: limit,
    })
    if (response.status === 429 || response.status >= 500) return 'late'
    if (!response.ok) return []
    const answer: unknown = JSON.parse(await boundedText(response))
    if (isOwner?.(ownerIn(answer)) === false) return []
    return (modelIdsIn(answer) ?? []).filter(isWanted)
  } catch {
    return limit.aborted ? 'late' : []
  }
}

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
