/**
 * Opens an arm that is a model server: asks it what it is, what it can do and how it wants to be asked, and joins that to
 * models that ask it in every way it may need.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { armSizes } from './arm-sizes.ts'
import { loadPrompt } from '../context/prompts.ts'
import { createChatTemplate } from '../embedded/chat-template.ts'
import { requestGrammar } from '../embedded/request-grammar.ts'
import type { ArmSettings, Capabilities } from '../protocol/arm.ts'
import type { Embedder } from '../protocol/embedder.ts'
import { AppError } from '../protocol/error.ts'
import type { Model } from '../protocol/model.ts'
import {
  type ArmSurroundings,
  capabilitiesOf,
  createArmModels,
  windowWarnings,
} from '../provider/arm-models.ts'
import { createEmbedder } from '../provider/embedder.ts'
import { createFillModel } from '../provider/fill/model.ts'
import { findApi } from '../provider/find-api.ts'
import type { ProbeReport } from '../provider/probe/findings.ts'
import { openProbeCache } from '../provider/probe/cache.ts'
import { probeArm } from '../provider/probe/run.ts'
import type { OpenTemplate } from '../provider/raw/prompt.ts'
import { createServerClient } from '../provider/server-client.ts'
import { settleArm } from '../provider/settle-arm.ts'
import { type Arm, createArm } from '../router/arm.ts'
import { withRetry } from '../router/retry.ts'

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type ServerArmParts = {
  readonly promptsFolder: string
  readonly probe?: boolean
  /** Where what was learnt about servers is kept; absent = nowhere. */
  readonly probesFile?: string
  readonly incognito?: boolean
  readonly sleep?: Sleep
  /** Another arm can be asked at once: failures are not waited out. */
  readonly hasOther?: () => boolean
  /** It may not be used and is only listed. */
  readonly isOff?: boolean
}

export type ServerArm = {
  readonly arm: Arm
  readonly warnings: readonly string[]
  readonly embed?: Embedder
  /** Fills gaps: its requests are two messages, what stands before the gap and what after it. */
  readonly fill?: Model
  readonly slots?: number
  /** Whether its server answers at all. */
  ping(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export async function openServer(given: ArmSettings, parts: ServerArmParts): Promise<ServerArm> {
  if (parts.incognito && !given.local) {
    const text = `--incognito uses local models only, and ${given.id || given.baseUrl} is not on this network.`
    throw new AppError('config-invalid', text)
  }
  // Where another arm can be asked, a server that is not there is not waited for.
  const patience = { tryAgain: parts.hasOther === undefined }
  const settings = parts.isOff ? given : await settleArm(given, patience, new AbortController().signal)
  const probed = parts.probe === false ? undefined : await probe(settings, parts)
  const capabilities = capabilitiesOf(settings, probed)
  const models = await createArmModels(settings, capabilities, {
    prefillSpeed: () => arm.profile().capabilities.speeds?.prefill,
    promptsFolder: parts.promptsFolder,
    ...(probed && (await fromProbe(probed, parts))),
  })
  const arm: Arm = createArm({
    id: settings.id,
    local: settings.local,
    capabilities: models.capabilities,
    sampling: settings,
    ...armSizes(),
    native: patiently(models.native, parts),
    text: patiently(models.text, parts),
  })
  const warnings = [
    ...windowWarnings(settings, capabilities),
    ...models.warnings,
    ...(probed?.warnings ?? []),
  ]
  const { embeddings, slots, server } = probed?.findings ?? {}
  const place = { ...settings, ...(server && { server: server.value }) }
  const client = createServerClient(settings)
  const fill = server && createFill(settings, { server: server.value, window: capabilities.window, client })
  return {
    arm,
    warnings,
    close: async () => {},
    async ping(signal) {
      await client.get('/v1/models', signal)
    },
    ...(embeddings?.value && { embed: createEmbedder(place) }),
    ...(fill && { fill: patiently(fill, parts) }),
    ...(slots && { slots: slots.value }),
  }
}

type FillParts = Omit<Parameters<typeof createFillModel>[0], 'name' | 'model'>

const createFill = ({ id: name, model, kind }: ArmSettings, parts: FillParts): Model | undefined =>
  kind === 'openai-compatible' ? createFillModel({ name, model, ...parts }) : undefined

/** One of several is loaded when it is first asked: together they may not fit into memory. */
const probe = async (
  settings: ArmSettings,
  { probesFile, hasOther, promptsFolder }: ServerArmParts,
): Promise<ProbeReport> =>
  probeArm(settings, {
    depth: 'metadata',
    load: hasOther === undefined,
    openTemplate: await templateOpener(promptsFolder),
    signal: new AbortController().signal,
    ...(probesFile !== undefined && { cache: probesFile }),
  })

/** Everything about a server and its model, for a person who asks for it by name. Throws where it does not answer. */
export async function probeServer(
  given: ArmSettings,
  depth: 'metadata' | 'full',
  { promptsFolder, probesFile }: { readonly promptsFolder: string; readonly probesFile: string },
  signal: AbortSignal,
): Promise<ProbeReport & { readonly settings: ArmSettings; readonly capabilities: Capabilities }> {
  const settings = await settleArm(given, { tryAgain: true }, signal)
  await requireAnswer(settings, signal)
  const openTemplate = await templateOpener(promptsFolder)
  const report = await probeArm(settings, {
    depth,
    cache: probesFile,
    openTemplate,
    signal,
  })
  return { ...report, settings, capabilities: capabilitiesOf(settings, report) }
}

/** A server that is down or refuses the key answers no question: every finding about it would be false. */
async function requireAnswer(settings: ArmSettings, signal: AbortSignal): Promise<void> {
  const { kind, baseUrl } = settings
  if (kind !== 'openai-compatible' || baseUrl === undefined) return
  try {
    await findApi({ ...settings, baseUrl }, {}, signal)
  } catch (error) {
    const hasNoList = error instanceof AppError && error.code === 'request-invalid'
    if (!hasNoList) throw error
  }
}

/** Chat templates, with the words that tell of tools where a template does not. */
async function templateOpener(promptsFolder: string): Promise<OpenTemplate> {
  const instructions = await loadPrompt('tools.md', promptsFolder)
  return (source) => createChatTemplate({ ...source, instructions })
}

/** What prompts of our own need, and where refusals are remembered. */
async function fromProbe(
  { findings }: ProbeReport,
  { promptsFolder, probesFile }: ServerArmParts,
): Promise<Pick<ArmSurroundings, 'raw' | 'onFound'>> {
  const cache = probesFile === undefined ? undefined : openProbeCache(probesFile)
  return {
    raw: {
      findings,
      grammarFor: requestGrammar,
      openTemplate: await templateOpener(promptsFolder),
    },
    // What cannot be kept is found out again.
    onFound: (learned) => void cache?.write(findings.digest?.value ?? '', learned).catch(() => {}),
  }
}

const waitFor: Sleep = (ms, signal) => wait(ms, undefined, { signal })

const patiently = (model: Model, { sleep = waitFor, hasOther }: ServerArmParts): Model =>
  withRetry(model, { sleep, random: Math.random, ...(hasOther && { hasOther }) })
