/**
 * Builds every part from the configuration and joins them; the one file that knows all parts. Parts that need each other
 * are handed to each other here, as functions and plain values.
 */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type ArmWish, chooseArm } from './config/choose-arm.ts'
import { loadConfig } from './config/load.ts'
import { appPaths } from './config/paths.ts'
import type { Config } from './config/schema.ts'
import { budgetFor, learnWindow } from './context/budget.ts'
import { createTokenCounter, fixedTokens, messagesTokens } from './context/count.ts'
import { loadPrompt } from './context/prompts.ts'
import { gatherSections, noteSources, onceSource, situationSource } from './context/sources.ts'
import { renderSystem } from './context/system.ts'
import { offerTools, type ToolMode } from './engine/offer.ts'
import { createAuthorize } from './guard/authorize.ts'
import { type ClosableExec, createExec } from './guard/exec.ts'
import { createFiles } from './guard/files.ts'
import { readBytesInside } from './guard/read-bytes.ts'
import { createLogger, type Logger } from './lib/log.ts'
import type { ArmSettings } from './protocol/arm.ts'
import { AppError } from './protocol/error.ts'
import type { Model, ModelRequest } from './protocol/model.ts'
import type { Source } from './protocol/source.ts'
import type { Files, Tool } from './protocol/tool.ts'
import { capabilitiesOf, createArmModels, windowWarnings } from './provider/arm-models.ts'
import { loadScript } from './provider/load-script.ts'
import { probeWindow } from './provider/probe.ts'
import { type Arm, createArm } from './router/arm.ts'
import { reservePinned } from './router/pinned.ts'
import { withRetry } from './router/retry.ts'
import { exportSession, type ExportFormat } from './session/export.ts'
import { assembleSession } from './session/assemble.ts'
import { lastRecap } from './session/recap.ts'
import { openStored, type Resume } from './session/resume.ts'
import { createSession, type Session } from './session/session.ts'
import { createSessionStore, type SessionStore } from './session/store.ts'
import { traceRun } from './session/trace-run.ts'
import { builtinTools } from './tools/all.ts'

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export type AppOptions = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The id of an arm, `scripted:file.jsonl`, or any Model. */
  readonly model?: string | Model
  readonly baseUrl?: string
  readonly provider?: ArmSettings['kind']
  readonly apiKey?: string
  /** Tokens of prompt and answer together, whatever else is known. */
  readonly window?: number
  /** Ask the server for its window first. */
  readonly probe?: boolean
  readonly permission?: Config['permission']['mode']
  /** Replaces the built-in system text. */
  readonly system?: string
  readonly incognito?: boolean
  readonly profile?: string
  readonly verbose?: boolean
  /** How to wait between two tries of a request. */
  readonly sleep?: Sleep
  /** Values of the configuration by dotted key, over every file. */
  readonly flags?: Readonly<Record<string, unknown>>
}

/** A conversation, open for writing until it is closed. */
export type AppSession = Session & {
  /** What the last session of this folder was about, for a person who comes back. */
  readonly recap?: string
}

export type ResumeChoice = Resume

export type App = {
  readonly armId: string
  readonly permissionMode: string
  /** What a person should know before anything happens. */
  readonly warnings: readonly string[]
  openSession(options: { readonly resume: ResumeChoice; readonly canAsk: boolean }): Promise<AppSession>
  /** A command the person typed themselves; its output as text. */
  runForPerson(command: string, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

export async function createApp(options: AppOptions): Promise<App> {
  await requireFolder(options.cwd)
  const loaded = await loadConfig({
    env: options.env,
    cwd: options.cwd,
    flags: { ...options.flags, 'permission.mode': options.permission },
    ...(options.profile && { profile: options.profile }),
  })
  const paths = appPaths(options.env, process.platform)
  const promptsFolder = loaded.config.prompts ?? paths.promptsFolder
  const { arm, why, warnings } = await openArm(loaded.config, options, promptsFolder)
  const files = createFiles({ root: options.cwd })
  const exec = createExec({ cwd: files.root, env: options.env })
  const ground: Ground = {
    options,
    config: loaded.config,
    promptsFolder,
    log: createLogger({ ...loaded.config.log, verbose: options.verbose ?? false }),
    store: createSessionStore({
      keep: loaded.config.sessions.keep,
      ...(options.incognito ? {} : { folder: paths.sessionsFolder }),
    }),
    arm,
    why,
    files,
    exec,
  }
  return {
    armId: arm.id,
    permissionMode: loaded.config.permission.mode,
    warnings: [...loaded.warnings, ...warnings],
    openSession: (choice) => openSession(ground, choice),
    runForPerson: async (command, signal) => {
      const { output } = await exec.shell(command, {
        timeoutMs: loaded.config.exec.long_timeout_s * 1000,
        signal,
      })
      return output
    },
    close: () => exec.close(),
  }
}

async function requireFolder(path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isDirectory())
    throw new AppError('config-invalid', `${path} is no folder; give one that exists with --cwd.`)
}

/** What all sessions of one app stand on. */
type Ground = {
  readonly options: AppOptions
  readonly config: Config
  readonly promptsFolder: string
  readonly log: Logger
  readonly store: SessionStore
  readonly arm: Arm
  readonly why: string
  readonly files: Files
  readonly exec: ClosableExec
}

type OpenedArm = { readonly arm: Arm; readonly why: string; readonly warnings: readonly string[] }

async function openArm(config: Config, options: AppOptions, promptsFolder: string): Promise<OpenedArm> {
  const { model } = options
  if (typeof model === 'object') return { arm: wrapModel(model, options), why: 'handed in', warnings: [] }
  const choice = chooseArm(config, { ...options, ...(model && { model }) } as ArmWish, options.env)
  if (choice.kind === 'scripted') {
    return {
      arm: wrapModel(await loadScript(resolve(options.cwd, choice.path)), options),
      why: 'a script',
      warnings: [],
    }
  }
  const { settings, why } = choice
  if (options.incognito && !settings.local) {
    throw new AppError(
      'config-invalid',
      `--incognito uses local models only, and ${settings.id} is not on this network.`,
    )
  }
  const reported = options.probe === false ? undefined : await probeWindow(settings)
  const capabilities = capabilitiesOf(settings, reported)
  const models = createArmModels(settings, capabilities, {
    prefillSpeed: () => arm.profile().capabilities.speeds?.prefill,
    promptsFolder,
  })
  const arm: Arm = createArm({
    id: settings.id,
    local: settings.local,
    capabilities,
    sampling: settings,
    ...sizes(),
    native: patiently(models.native, options.sleep),
    text: patiently(models.text, options.sleep),
  })
  return { arm, why, warnings: windowWarnings(settings, capabilities) }
}

const waitFor: Sleep = (ms, signal) => wait(ms, undefined, { signal })

const patiently = (model: Model, sleep: Sleep = waitFor): Model =>
  withRetry(model, { sleep, random: Math.random })

/** A model without a server: scripts, and whatever a program hands in. */
function wrapModel(model: Model, { window = 8_192 }: AppOptions): Arm {
  const settings = {
    id: model.name,
    kind: 'openai-compatible',
    model: model.name,
    headers: {},
    local: true,
  } as const
  const capabilities = capabilitiesOf({ ...settings, known: { window } }, undefined)
  return createArm({ id: model.name, local: true, capabilities, native: model, ...sizes() })
}

/** How an arm counts, learns and keeps time. */
function sizes() {
  const counter = createTokenCounter()
  const countRequest = ({ system, tools, messages }: ModelRequest) =>
    fixedTokens(system, tools, counter.count) + messagesTokens(messages, { count: counter.count })
  return { counter, countRequest, learnWindow, now: () => performance.now() }
}

type SessionChoice = { readonly resume: ResumeChoice; readonly canAsk: boolean }

const NOBODY =
  'Nobody is there to ask. The person can allow it with --permission accept-edits or --permission bypass.'

async function openSession(ground: Ground, { resume, canAsk }: SessionChoice): Promise<AppSession> {
  const { store, files, exec, arm } = ground
  const { engine, permission } = ground.config
  const tools = sessionTools(ground.config)
  const read = (path: string) => files.read(path).catch(() => undefined)
  const sources = [...noteSources(read), situationSource(read, () => new Date())]
  const lastTime = canAsk && resume === 'new' ? await lastRecap(store, files.root) : undefined
  if (lastTime) sources.push(onceSource('last session', lastTime))
  const start = { cwd: files.root, system: await systemText(ground, sources, tools) }
  const stored = await openStored(store, resume, start)
  const assembled = assembleSession({
    stored,
    sources,
    files,
    exec,
    tools: () => tools,
    readBytes: readBytesInside(files.root),
    reserve: reservePinned(arm, ground.why),
    toolMode: toolMode(ground),
    maxTurns: engine.max_turns,
    maxMessages: engine.max_messages,
    ...(engine.temperature !== undefined && { temperature: engine.temperature }),
    authorize: createAuthorize({ mode: permission.mode }),
  })
  const session = await createSession({
    ...assembled,
    stored,
    startRun: traceRun(assembled.startRun, ground.log),
    ...(canAsk ? {} : { denial: NOBODY }),
    list: () => store.list(files.root),
    now: Date.now,
  })
  return lastTime ? Object.assign(session, { recap: lastTime }) : session
}

/** Made for each session: some tools remember what the session did. */
function sessionTools({ checks, exec }: Config): readonly Tool[] {
  const limits = { usualMs: exec.timeout_s * 1000, longMs: exec.long_timeout_s * 1000 }
  const tools: readonly Tool[] = builtinTools({ list: () => tools, checks, limits })
  return tools
}

const toolMode = ({ config }: Ground): ToolMode =>
  config.engine.force_two_stage ? 'two-stage' : config.engine.tools

/** Rendered once per session; nothing in it may change while the session goes on. */
async function systemText(
  ground: Ground,
  sources: readonly Source[],
  tools: readonly Tool[],
): Promise<string> {
  const lease = ground.arm.lease('to measure')
  const count = (text: string) => lease.countTokens(text)
  const offered = offerTools({ mode: toolMode(ground), tools, options: {} }, lease, [])
  return renderSystem({
    identity: ground.options.system ?? (await loadPrompt('system.md', ground.promptsFolder)),
    sections: await gatherSections(sources, 'frozen', ''),
    budget: budgetFor(lease.arm.capabilities.window),
    toolTokens: count(JSON.stringify(offered.tools)),
    count,
  })
}

/** The sessions on disk, for whoever only looks at them. */
export type Sessions = SessionStore & { export(id: string, format: ExportFormat): Promise<string> }

export async function openSessions(env: NodeJS.ProcessEnv, cwd: string): Promise<Sessions> {
  const { config } = await loadConfig({ env, cwd })
  const store = createSessionStore({
    folder: appPaths(env, process.platform).sessionsFolder,
    keep: config.sessions.keep,
  })
  return { ...store, export: async (id, format) => exportSession(await store.read(id), format) }
}
