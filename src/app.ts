/**
 * Builds every part from the configuration and joins them; the one file that knows all parts. Parts that need each other
 * are handed to each other here, as functions and plain values.
 */
import { stat } from 'node:fs/promises'
import { type ArmWanted, openArm, type OpenedArm, type Sleep } from './arms.ts'
import { chooseArm } from './config/choose-arm.ts'
import { loadConfig } from './config/load.ts'
import { appPaths } from './config/paths.ts'
import type { Config } from './config/schema.ts'
import { budgetFor } from './context/budget.ts'
import { loadPrompt } from './context/prompts.ts'
import { gatherSections, noteSources, onceSource, situationSource } from './context/sources.ts'
import { renderSystem } from './context/system.ts'
import { offerTools, type ToolMode } from './engine/offer.ts'
import { createAuthorize } from './guard/authorize.ts'
import { type ClosableExec, createExec } from './guard/exec.ts'
import { createFiles } from './guard/files.ts'
import { readBytesInside } from './guard/read-bytes.ts'
import { createLogger, type Logger } from './lib/log.ts'
import { withoutUndefined } from './lib/object.ts'
import type { ArmSettings } from './protocol/arm.ts'
import { AppError } from './protocol/error.ts'
import type { Model } from './protocol/model.ts'
import type { Source } from './protocol/source.ts'
import type { Files, Tool } from './protocol/tool.ts'
import type { Arm } from './router/arm.ts'
import { reservePinned } from './router/pinned.ts'
import { exportSession, type ExportFormat } from './session/export.ts'
import { assembleSession } from './session/assemble.ts'
import { lastRecap } from './session/recap.ts'
import { openStored, type Resume } from './session/resume.ts'
import { createSession, type Session } from './session/session.ts'
import { createSessionStore, type SessionStore } from './session/store.ts'
import { traceRun } from './session/trace-run.ts'
import { builtinTools } from './tools/all.ts'

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
  const files = createFiles({ root: options.cwd })
  const wanted = wantedArm(loaded.config, options)
  const { arm, why, warnings, close, classify } = await openArm(wanted, { ...options, files, promptsFolder })
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
    ...(classify && { classify }),
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
    close: async () => void (await Promise.all([exec.close(), close()])),
  }
}

function wantedArm(config: Config, options: AppOptions): ArmWanted {
  const { model, baseUrl, provider, apiKey, window, env } = options
  if (typeof model === 'object') return { kind: 'model', model }
  const wish = { model, baseUrl, provider, apiKey, window }
  return chooseArm(config, withoutUndefined(wish), env)
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
  readonly classify?: OpenedArm['classify']
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
    ...(ground.classify && { classify: ground.classify }),
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
