/**
 * Builds every part from the configuration and joins them; the one file that knows all parts. Parts that need each other
 * are handed to each other here, as functions and plain values.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArmWanted, openArm, type OpenedArm, type Sleep } from './arms.ts'
import { type ArmChoice, chooseArm } from './config/choose-arm.ts'
import { loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts'
import { type AppPaths, appPaths } from './config/paths.ts'
import type { Config } from './config/schema.ts'
import { createFiles } from './guard/files.ts'
import { openRuleBook } from './guard/rule-book.ts'
import { detectSandbox } from './guard/sandbox.ts'
import { openTrust } from './guard/trust.ts'
import { type Guards, openGuards } from './guards.ts'
import { createLogger } from './lib/log.ts'
import { withoutUndefined } from './lib/object.ts'
import type { ArmSettings } from './protocol/arm.ts'
import { findModel } from './models/find.ts'
import { AppError } from './protocol/error.ts'
import type { Model } from './protocol/model.ts'
import type { Arm } from './router/arm.ts'
import { reservePinned } from './router/pinned.ts'
import { exportSession, type ExportFormat } from './session/export.ts'
import { createSessionStore, type SessionStore } from './session/store.ts'
import { type AppSession, openSession, type SessionChoice, type SessionGround } from './sessions.ts'

export type AppOptions = {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The id of an arm, `scripted:file.jsonl`, or any Model. */
  readonly model?: string | Model
  /** The best model on this machine that fits it. */
  readonly auto?: boolean
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

export type App = {
  readonly armId: string
  readonly permissionMode: string
  /** What confines commands: a sandbox by its name, or why there is none. */
  readonly confinement: string
  /** What a person should know before anything happens. */
  readonly warnings: readonly string[]
  openSession(choice: SessionChoice): Promise<AppSession>
  /** A command the person typed themselves; its output as text. */
  runForPerson(command: string, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

export async function createApp(options: AppOptions): Promise<App> {
  const { config, arm, guards, sessions, warnings, close } = await openGround(options)
  return {
    armId: arm.id,
    permissionMode: config.permission.mode,
    confinement: guards.confinement,
    warnings,
    openSession: (choice) => openSession(sessions, choice),
    runForPerson: async (command, signal) => {
      const timeoutMs = config.exec.long_timeout_s * 1000
      return (await guards.personExec.shell(command, { timeoutMs, signal })).output
    },
    close,
  }
}

/** What an app and a server both stand on. */
export type Ground = {
  readonly config: Config
  readonly paths: AppPaths
  /** The one that answers unless another is asked for by name. */
  readonly arm: Arm
  readonly guards: Guards
  readonly sessions: SessionGround
  readonly warnings: readonly string[]
  /** Another arm; it lives as long as the rest. */
  openArm(choice: ArmChoice): Promise<Arm>
  close(): Promise<void>
}

export async function openGround(options: AppOptions): Promise<Ground> {
  await requireFolder(options.cwd)
  const loaded = await loadTrusted({
    env: options.env,
    cwd: options.cwd,
    flags: { ...options.flags, 'permission.mode': options.permission },
    ...(options.profile && { profile: options.profile }),
  })
  const { config } = loaded
  const paths = appPaths(options.env, process.platform)
  const promptsFolder = config.prompts ?? paths.promptsFolder
  // The model in the box looks around by itself; nothing it sees leaves the machine.
  const files = createFiles({ root: options.cwd, rules: config.permission.rules })
  const opened: OpenedArm[] = []
  const open = async (wanted: ArmWanted): Promise<OpenedArm> => {
    const another = await openArm(wanted, { ...options, files, promptsFolder })
    opened.push(another)
    return another
  }
  const wanted = await wantedArm(config, options, paths)
  const { arm, why, warnings, classify } = await open(wanted.arm)
  const guards = await openGuards({
    config,
    paths,
    cwd: files.root,
    env: options.env,
    incognito: options.incognito ?? false,
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
  })
  return {
    config,
    paths,
    arm,
    guards,
    sessions: {
      config,
      ...(options.system !== undefined && { system: options.system }),
      promptsFolder,
      root: files.root,
      log: createLogger({ ...config.log, verbose: options.verbose ?? false }),
      store: createSessionStore({
        keep: config.sessions.keep,
        ...(options.incognito ? {} : { folder: paths.sessionsFolder }),
      }),
      reserve: reservePinned(arm, why),
      measure: () => arm.lease('to measure'),
      guards,
      ...(classify && { classify }),
    },
    warnings: [...loaded.warnings, ...wanted.notes, ...warnings, ...guards.warnings],
    openArm: async (choice) => (await open((await toWanted(choice, options, paths)).arm)).arm,
    close: async () => void (await Promise.all([guards.close(), ...opened.map((each) => each.close())])),
  }
}

/** Whether commands can be confined on this machine. */
export async function findConfinement(
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ readonly name?: string; readonly missing?: string }> {
  const sandbox = await detectSandbox({ roots: [cwd], env })
  if ('missing' in sandbox) return sandbox
  await sandbox.close()
  return { name: sandbox.name }
}

/** What a project brings along counts as far as the person trusted it. */
export async function loadTrusted(options: LoadOptions): Promise<LoadedConfig> {
  const trust = await openTrustOf(options.env)
  return loadConfig({ ...options, isTrusted: trust.isTrusted })
}

export const openTrustOf = (env: NodeJS.ProcessEnv) =>
  openTrust(join(appPaths(env, process.platform).dataFolder, 'trust.json'))

export const openRuleBookOf = (env: NodeJS.ProcessEnv) =>
  openRuleBook(join(appPaths(env, process.platform).dataFolder, 'permissions.json'))

type Wanted = { readonly arm: ArmWanted; readonly notes: readonly string[] }

async function wantedArm(config: Config, options: AppOptions, paths: AppPaths): Promise<Wanted> {
  const { model, baseUrl, provider, apiKey, window, auto, env } = options
  if (typeof model === 'object') return { arm: { kind: 'model', model }, notes: [] }
  const wish = { model, baseUrl, provider, apiKey, window, auto }
  const choice = chooseArm(config, withoutUndefined(wish), env)
  return toWanted(choice, options, paths)
}

const toWanted = async (choice: ArmChoice, options: AppOptions, paths: AppPaths): Promise<Wanted> =>
  choice.kind === 'named' ? findFile(choice.wish, options, paths) : { arm: choice, notes: [] }

/** The engine's package for graphics cards is not installed with covey; on Apple's machines it needs none. */
const HAS_GRAPHICS = process.platform === 'darwin'

async function findFile(wish: string, { env, window }: AppOptions, paths: AppPaths): Promise<Wanted> {
  const { modelsFolder, home } = paths
  const place = { modelsFolder, home, env, graphics: HAS_GRAPHICS }
  const found = await findModel(wish, place, window === undefined ? {} : { window })
  return {
    arm: {
      kind: 'gguf',
      path: found.path,
      name: found.id,
      sequences: found.workers,
      ...(found.window !== undefined && { window: found.window }),
    },
    notes: [
      ...(wish === 'auto' ? [`chosen: ${found.id}; the same again: ${found.command}`] : []),
      ...(found.note ? [found.note] : []),
    ],
  }
}

async function requireFolder(path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isDirectory())
    throw new AppError('config-invalid', `${path} is no folder; give one that exists with --cwd.`)
}

/** The sessions on disk, for whoever only looks at them. */
export type Sessions = SessionStore & { export(id: string, format: ExportFormat): Promise<string> }

export async function openSessions(env: NodeJS.ProcessEnv, cwd: string): Promise<Sessions> {
  const { config } = await loadTrusted({ env, cwd })
  const store = createSessionStore({
    folder: appPaths(env, process.platform).sessionsFolder,
    keep: config.sessions.keep,
  })
  return { ...store, export: async (id, format) => exportSession(await store.read(id), format) }
}
