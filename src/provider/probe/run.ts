/**
 * Finds out what a model server and the model on it can do. What the server says about itself is asked for at every
 * start and takes moments; how the model behaves is tried on request and remembered per digest.
 */
import type { ArmSettings, EmissionMode } from '../../protocol/arm.ts'
import { capabilitiesOf } from '../arm-models.ts'
import { createEmbedder } from '../embedder.ts'
import { found, mergeFindings, type Findings, type ProbeReport, type ServerKind } from './findings.ts'
import { createAskProbe, type AskProbe } from './ask.ts'
import { probeApplied } from './apply-template.ts'
import { openProbeCache } from './cache.ts'
import { probeMetadata } from './metadata.ts'
import { fitOllamaWindow } from './ollama.ts'
import { probeGrammar, probeRaw } from './raw.ts'
import { probeRoles } from './roles.ts'
import { probeTools } from './tools.ts'
import type { OpenTemplate } from '../raw/prompt.ts'
import { createServerClient, type ServerClient } from '../server-client.ts'

export type ProbeOptions = {
  /** `metadata` asks the server, `full` also the model: a dozen short questions. */
  readonly depth: 'metadata' | 'full'
  /**
   * Have Ollama load the model with the window it is to have, and check it. Not for models that are only looked at:
   * several do not fit into memory. `full` loads it in any case.
   */
  readonly load?: boolean
  /** The file in which behaviour is kept. */
  readonly cache?: string
  /** Renders chat templates; without it prompts of our own are not tried. */
  readonly openTemplate?: OpenTemplate
  readonly now?: () => number
  /** How long the questions of `full` may take together; what is known by then is the result. */
  readonly limitMs?: number
  readonly signal: AbortSignal
}

/** The longest delay before a first answer. */
const PATIENCE_MS = 10_000
/** A model that reads ten tokens a second answers most of the questions in this time. */
const FULL_MS = 300_000

/** Makers of cloud models are not asked: they do not say. */
export async function probeArm(settings: ArmSettings, options: ProbeOptions): Promise<ProbeReport> {
  if (settings.kind !== 'openai-compatible' || settings.baseUrl === undefined)
    return { findings: {}, warnings: [] }
  const { signal, depth } = options
  const client = createServerClient(settings)
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const said = await probeMetadata(client, settings.model, patience, signal)
  const load = options.load === true || depth === 'full'
  const wish = { model: settings.model, window: settings.known.window, load, patience }
  const { findings: metadata, warnings } =
    said.server?.value === 'ollama'
      ? await fitOllamaWindow(client, said, wish, signal)
      : { findings: said, warnings: [] }
  const cache = options.cache === undefined ? undefined : openProbeCache(options.cache)
  const digest = metadata.digest?.value ?? ''
  if (depth === 'metadata') {
    const { openTemplate } = options
    const applied = openTemplate
      ? await probeApplied({ settings, client, findings: metadata, openTemplate }, signal)
      : {}
    const learned = (await cache?.read(digest)) ?? {}
    const embeds =
      refusesToEmbed.has(metadata.server?.value) && !learned.embeddings
        ? await probeEmbeddings(settings, metadata, { ms: PATIENCE_MS / 5, signal })
        : {}
    return { findings: mergeFindings(metadata, applied, embeds, learned), warnings }
  }
  const { findings, warnings: late } = await probeBehaviour({ settings, client, metadata, options })
  await cache?.write(digest, findings)
  return { findings, warnings: [...warnings, ...late] }
}

/** Those that do not say whether they were started for embeddings, and refuse at once where they were not. */
const refusesToEmbed: ReadonlySet<ServerKind | undefined> = new Set(['llama.cpp', 'llama-cpp-python'])

type Behaviour = {
  readonly settings: ArmSettings
  readonly client: ServerClient
  readonly metadata: Findings
  readonly options: ProbeOptions
}

async function probeBehaviour(asked: Behaviour): Promise<ProbeReport> {
  const { limitMs = FULL_MS, signal } = asked.options
  const limit = AbortSignal.timeout(limitMs)
  const both = AbortSignal.any([signal, limit])
  let findings = asked.metadata
  try {
    for await (const more of behaviourOf(asked, both)) findings = mergeFindings(findings, more)
    return { findings, warnings: [] }
  } catch (error) {
    if (signal.aborted || !limit.aborted) throw error
    const text =
      `The questions were stopped after ${limitMs / 1000} s: ${asked.settings.id || asked.settings.model} answers slowly. ` +
      'What was found until then is used; ask again with `covey models probe` when the machine is idle.'
    return { findings, warnings: [text] }
  }
}

/** What is found out, question by question; each may build on what was found before it. */
async function* behaviourOf(
  { settings, client, metadata, options }: Behaviour,
  signal: AbortSignal,
): AsyncGenerator<Findings> {
  const { openTemplate, now = () => performance.now() } = options
  const ask = createAskProbe(settings, metadata, now, signal)
  const roles = mergeFindings(metadata, await probeRoles(ask))
  yield roles
  const emission = emissionOf(settings, roles)
  const tools = mergeFindings(roles, await probeTools(ask, emission))
  yield tools
  if (openTemplate) yield await probeRaw({ settings, client, findings: tools, ask, openTemplate }, signal)
  if (metadata.server?.value === 'llama.cpp') yield await probeGrammar(client, signal)
  if (!metadata.vision) yield await probeVision(ask, emission)
  // Also where the server claims them: what it lists is not always what it does.
  yield await probeEmbeddings(settings, metadata, { ms: EMBEDDING_MS, signal })
  yield await probeSpeed(ask, emission, metadata)
}

const emissionOf = (settings: ArmSettings, findings: Findings): EmissionMode =>
  capabilitiesOf(settings, { findings, warnings: [] }).emission

/** A red dot of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

async function probeVision(ask: AskProbe, emission: EmissionMode): Promise<Findings> {
  const images = [{ mediaType: 'image/png', base64: DOT }]
  const reply = await ask({ emission, maxTokens: 1, messages: [{ role: 'user', text: 'Look.', images }] })
  return mergeFindings({ vision: found(!reply.refusal, 'a picture') })
}

async function probeEmbeddings(
  settings: ArmSettings,
  { server }: Findings,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<Findings> {
  const embed = createEmbedder({ ...settings, ...(server && { server: server.value }) })
  const from = 'a text to embed'
  const limit = AbortSignal.timeout(ms)
  try {
    const vectors = await embed(['heron'], AbortSignal.any([signal, limit]))
    return mergeFindings({ embeddings: found(vectors.every(hasDirection), from) })
  } catch {
    signal.throwIfAborted()
    // A server that is busy has said nothing.
    return limit.aborted ? {} : mergeFindings({ embeddings: found(false, from) })
  }
}

/** Loading the model included. */
const EMBEDDING_MS = 30_000

/** Some servers answer with zeros for a model that makes no vectors; nothing can be compared with those. */
const hasDirection = (vector: readonly number[]): boolean => vector.some((value) => value !== 0)

const SMALL_WINDOW = 4_096
const MOST_WORDS = 400
/** Tokenizers that take digits and odd words apart make this many of one word; half the window stays free. */
const WINDOW_PER_WORD = 24

/** The words differ from those of any earlier prompt: what lies in a cache says nothing about speed. */
async function probeSpeed(ask: AskProbe, emission: EmissionMode, { window }: Findings): Promise<Findings> {
  const words = Math.min(MOST_WORDS, Math.floor((window?.value ?? SMALL_WINDOW) / WINDOW_PER_WORD))
  const nonce = Math.random().toString(36).slice(2, 8)
  const text = Array.from({ length: words }, (_, index) => `${nonce}-${index}`).join(' ')
  const read = await ask({ emission, maxTokens: 1, messages: [{ role: 'user', text }] })
  const written = await ask({
    emission,
    maxTokens: 64,
    messages: [{ role: 'user', text: 'Count from 1 to 60, with a comma between.' }],
  })
  const fresh = (read.usage?.prompt ?? 0) - (read.usage?.cached ?? 0)
  return mergeFindings({
    prefillSpeed: found(perSecond(fresh, read.totalMs), `a prompt of ${words} words`),
    decodeSpeed: found(
      perSecond((written.usage?.completion ?? 0) - 1, written.totalMs - written.firstMs),
      'counting to sixty',
    ),
  })
}

/** Nothing where the sample is too small to mean anything. */
const perSecond = (tokens: number, ms: number): number | undefined =>
  tokens >= 16 && ms > 0 ? Math.round((tokens / ms) * 1000) || undefined : undefined
