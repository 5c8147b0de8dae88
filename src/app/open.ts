/**
 * Builds every part from the configuration and joins them; the one file that knows all parts. Parts that need each
 * other are handed to each other here, as functions and plain values.
 */
import { stat } from 'node:fs/promises'
import { type Answering, openAnswering } from './model.ts'
import type { Sleep } from './server-arm.ts'
import { type AppPaths, appPaths } from '../config/paths.ts'
import type { LoadedConfig } from '../config/load.ts'
import { configuredByProject } from '../config/of-project.ts'
import type { Config } from '../config/schema.ts'
import { toToken } from '../config/tool-host.ts'
import type { EmbeddingContext } from './embedding.ts'
import type { NamedEmbedder } from '../memory/meaning.ts'
import { type Answers, type Equipper, type EquipperParts, openEquipper } from './extras.ts'
import type { RemoteTools } from '../federation/tools/host.ts'
import { createFiles } from '../guard/paths/files.ts'
import { interactiveHint } from '../guard/interactive.ts'
import { patchRecordOf } from '../guard/paths/patch-folder.ts'
import { type Guards, openGuards } from './guards.ts'
import { Ends } from '../lib/ends.ts'
import { createLogger } from '../lib/log.ts'
import { defined } from '../lib/object.ts'
import type { ArmSettings, Reserve } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { Model } from '../protocol/model.ts'
import type { AtStart } from '../protocol/start.ts'
import type { ExecOptions, ExecResult } from '../protocol/tool.ts'
import { isAboutFailure } from '../router/keywords.ts'
import { reservePinned } from '../router/pinned.ts'
import { createSessionStore, type SessionStore } from '../session/store.ts'
import { type SwarmSettings, throughSwarm } from '../swarm/lease.ts'
import { openSwarming } from './voting.ts'
import { type AppSession, openSession, type SessionChoice, type SessionContext } from './session.ts'
import { loadTrusted, reviewTrusted } from './config.ts'

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
  /** The variable that the key came from, for messages. */
  readonly apiKeyEnv?: string
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
  /** Shown and asked while it opens; absent = no user watches. */
  readonly atStart?: AtStart
  /** Values of the configuration by dotted key, over every file. */
  readonly flags?: Readonly<Record<string, unknown>>
}

type PersonOptions = Pick<ExecOptions, 'signal' | 'onOutput'>

export type App = {
  readonly armId: string
  readonly permissionMode: string
  /** What confines commands: a sandbox by its name, or why there is none. */
  readonly confinement: string
  /** What a person should know before anything happens. */
  readonly warnings: readonly string[]
  openSession(choice: SessionChoice): Promise<AppSession>
  /** Those that are kept; in memory where nothing is. */
  readonly sessions: Pick<SessionStore, 'fork' | 'read' | 'ownMessages'>
  /** Those that can be asked for by name. */
  arms(): readonly string[]
  /** A command the person typed themselves, as in their own shell. */
  runForPerson(command: string, options: PersonOptions): Promise<Pick<ExecResult, 'exitCode' | 'output'>>
  /** It wants a terminal of its own: an editor, a pager, a shell. */
  needsTerminal(command: string): boolean
  /** Arms by the names that a person switches between them with. */
  readonly presets: Config['shell']
  readonly terminal: Config['tui']
  /** Arms of the configuration, opened or not. */
  readonly configured: readonly string[]
  /** Opens another arm, so that a session can use it. Throws for one that is not there. */
  openArm(id: string): Promise<void>
  close(): Promise<void>
}

export async function createApp(options: AppOptions): Promise<App> {
  const { config, answering, guards, sessions, warnings, toolsAt, close } = await openAppContext(options)
  return {
    armId: answering.name,
    permissionMode: config.permission.mode,
    confinement: toolsAt?.where ?? guards.confinement,
    warnings,
    openSession: (choice) => openSession(sessions, choice),
    sessions: sessions.store,
    arms: () => answering.arms().map(({ id }) => id),
    needsTerminal: (command) => interactiveHint(command) !== undefined,
    presets: config.shell,
    terminal: config.tui,
    configured: Object.keys(config.arms),
    async openArm(id) {
      if (!(await answering.include(id))) reserveArm(answering, id)
    },
    runForPerson: async (command, options) => {
      const timeoutMs = config.exec.long_timeout_s * 1000
      return guards.personExec.shell(command, { timeoutMs, ...options })
    },
    close,
  }
}

/** What an app and a server both stand on. */
export type AppContext = {
  /** The machine that tools run on, where it is another one. */
  readonly toolsAt?: Pick<RemoteTools, 'where' | 'look'>
  readonly config: Config
  readonly paths: AppPaths
  /** Keys of hooks and servers that the project configures. */
  readonly ofProject: ReadonlySet<string>
  readonly answering: Answering
  readonly guards: Guards
  readonly swarm: SwarmSettings
  readonly sessions: SessionContext
  readonly warnings: readonly string[]
  /** Opens what the first session would wait for. */
  prepare(): Promise<void>
  close(): Promise<void>
}

/** The configuration of an app, with its flags. Who needs it before the app is open hands it on to `openAppContext`. */
export async function loadAppConfig(options: AppOptions): Promise<LoadedConfig> {
  const { env, cwd, atStart, incognito = false } = options
  await requireFolder(cwd)
  if (atStart?.confirm && !incognito) await reviewTrusted(options, atStart.confirm)
  const flags = { ...options.flags, 'permission.mode': options.permission }
  return loadTrusted({ env, cwd, flags, ...(options.profile && { profile: options.profile }) })
}

export async function openAppContext(options: AppOptions, given?: LoadedConfig): Promise<AppContext> {
  const loaded = given ?? (await loadAppConfig(options))
  const { config } = loaded
  const remote = await remoteToolsOf(config, options.env)
  const ends = new Ends()
  try {
    const parts = await openParts(loaded, options, ends)
    const { answering, answers, guards, equipper, paths, swarm } = parts
    return {
      config,
      paths,
      ofProject: configuredByProject(loaded),
      answering,
      guards,
      swarm,
      ...(remote && { toolsAt: remote }),
      sessions: { ...(await sessionContext(parts, options)), ...(remote && { exchange: remote.replace }) },
      warnings: [...loaded.warnings, ...answering.warnings, ...guards.warnings, ...equipper.warnings],
      prepare: () => equipper.prepare(answers),
      close: () => ends.run(),
    }
  } catch (error) {
    await ends.run()
    throw error
  }
}

async function openParts(loaded: LoadedConfig, options: AppOptions, ends: Ends): Promise<SessionsOn> {
  const { config } = loaded
  const { env, incognito = false } = options
  const paths = appPaths(env, process.platform)
  const promptsFolder = config.prompts ?? paths.promptsFolder
  // The built-in model reads the project by itself; nothing it sees leaves the machine.
  const files = createFiles({ root: options.cwd, rules: config.permission.rules })
  const { root } = files
  const place = { config, paths, env, incognito, ofProject: configuredByProject(loaded) }
  // Side by side: one waits for a server while the other tries the sandbox.
  const [confined, answered] = await Promise.allSettled([
    openConfined({ ...place, root, promptsFolder }, options, ends),
    openAnswering(config, { ...options, files, promptsFolder, paths }),
  ])
  if (answered.status === 'fulfilled') ends.add(answered.value.close)
  const { equipper, guards } = valueOf(confined)
  const answering = valueOf(answered)
  const swarm = await openSwarming(config, answering, incognito)
  const answers = answersOf(answering, { config, paths })
  return { config, paths, root, promptsFolder, answering, answers, swarm, equipper, guards }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

async function openConfined(
  parts: EquipperParts,
  { apiKey, atStart }: AppOptions,
  ends: Ends,
): Promise<{ readonly equipper: Equipper; readonly guards: Guards }> {
  let hooks: Equipper['hooks'] = []
  // First, since it starts programs and waits for them.
  const opening = openGuards({
    ...parts,
    cwd: parts.root,
    hooks: () => hooks,
    ...defined({ apiKey }),
    onProgress: (folders) =>
      atStart?.status(`Looking at the project before the first command: ${folders} folders`),
  }).finally(() => atStart?.status(undefined))
  const [equipped, guarded] = await Promise.allSettled([openEquipper(parts), opening])
  if (equipped.status === 'fulfilled') ends.add(equipped.value.close)
  if (guarded.status === 'fulfilled') ends.add(guarded.value.close)
  const equipper = valueOf(equipped)
  hooks = equipper.hooks
  return { equipper, guards: valueOf(guarded) }
}

type SessionsOn = Pick<AppContext, 'config' | 'paths' | 'answering' | 'swarm' | 'guards'> &
  Pick<SessionContext, 'root' | 'promptsFolder'> & { readonly equipper: Equipper; readonly answers: Answers }

async function sessionContext(
  parts: SessionsOn,
  { system, verbose = false, incognito }: AppOptions,
): Promise<SessionContext> {
  const { config, paths, answering, answers, swarm, equipper, guards, ...place } = parts
  return {
    ...place,
    config,
    patchRecord: patchRecordOf(paths.dataFolder, place.root),
    ...defined({ system }),
    log: await createLogger({ ...config.log, verbose }),
    store: createSessionStore({
      keep: config.sessions.keep,
      ...(incognito ? {} : { folder: paths.sessionsFolder }),
    }),
    reserve: answering.reserve,
    reserveArm: (id) => reserveArm(answering, id),
    measure: answering.measure,
    equip: (session) => equipper.equip(session, answers),
    guards,
    ...(config.swarm.mode !== 'off' && { swarm: throughSwarm(swarm) }),
    ...defined({
      onRunEnd: answering.onRunEnd,
      report: answering.report,
      hasOther: answering.hasOther,
      classify: answering.classify,
    }),
    isAboutFailure,
  }
}

function answersOf({ measure, arms, facts }: Answering, context: EmbeddingContext): Answers {
  let elsewhere: Promise<NamedEmbedder | undefined> | undefined
  return {
    measure,
    async embedder() {
      const id = arms().find((arm) => facts(arm.id).embed)?.id
      const embed = id === undefined ? undefined : facts(id).embed
      if (id !== undefined && embed) return { model: id, embed }
      // Where no server answers anything, none is looked for.
      if (!arms().some((arm) => facts(arm.id).ping)) return undefined
      const { findEmbedder } = await import('./embedding.ts')
      elsewhere ??= findEmbedder(context)
      return elsewhere
    },
  }
}

/** Tools of another machine, where the person wants those. */
async function remoteToolsOf({ tool_host: host, federation }: Config, env: NodeJS.ProcessEnv) {
  const { url, workspace } = host
  if (url === undefined) return undefined
  const { lanFiles } = await import('../federation/lan/open.ts')
  const { openWishedTools } = await import('../federation/tools/find.ts')
  const wish = defined({ url, workspace, token: toToken(host.token, env) })
  const files = lanFiles(appPaths(env, process.platform).dataFolder)
  const peers = { ...files, addresses: federation.peers }
  return openWishedTools({ ...wish, peers }, AbortSignal.timeout(30_000))
}

function reserveArm({ arms }: Answering, id: string): Reserve {
  const arm = arms().find((one) => one.id === id)
  if (arm) return reservePinned(arm, 'asked for by name')
  const there = arms().map((one) => one.id)
  throw new AppError('request-invalid', `There is no arm "${id}"; there are ${there.join(', ')}.`)
}

async function requireFolder(path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isDirectory())
    throw new AppError('config-invalid', `${path} is not a directory. Pass an existing one with --cwd.`)
}
