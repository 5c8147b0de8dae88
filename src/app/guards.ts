/**
 * Opens what stands between a call and its effect. One sandbox for the program; for each session its own permissions,
 * files, commands, firewall and hooks, so that what a person allows in one is no answer in another.
 */
import { join } from 'node:path'
import { toHooks } from '../config/hooks.ts'
import type { AppPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { type ClosableExec, createExec } from '../guard/exec.ts'
import { openWatch } from '../guard/executable/open-watch.ts'
import type { Watch } from '../guard/executable/watch.ts'
import type { FetchParts } from '../guard/fetch.ts'
import { createFiles } from '../guard/paths/files.ts'
import { createGrants, type Grants } from '../guard/permission/grants.ts'
import { createHooks, type HooksParts } from '../guard/hooks/run.ts'
import { toHostEnvironment } from '../guard/host/environment.ts'
import { createLaunch } from '../guard/launch.ts'
import { closedHistory } from '../guard/permission/history.ts'
import { openRuleBook } from '../guard/permission/rule-book.ts'
import { detectSandbox } from '../guard/sandbox/detect.ts'
import type { Sandbox, SandboxOptions } from '../guard/sandbox/context.ts'
import { createTrial } from '../guard/sandbox/trial.ts'
import { openTrust } from '../guard/trust.ts'
import { auditOf, openSecrets } from './firewall.ts'
import {
  modeOf,
  type ModeSwitch,
  obeying,
  ownFolders,
  permissionsOf,
  type Permitting,
} from './permissions.ts'
import { sandboxOptions } from './sandbox.ts'
import type { Firewall } from '../protocol/firewall.ts'
import type { Launch } from '../lib/process.ts'
import type { AuditEntry, Permissions, RuleBook } from '../protocol/guard.ts'
import type { Hooks, HookSpec } from '../protocol/hooks.ts'
import type { Exec, Fetch, Files, TryChanges } from '../protocol/tool.ts'
import type { OpenUndo } from '../undo/undo.ts'
import { openUndoFor } from './undo.ts'
import { defined } from '../lib/object.ts'

export type GuardsParts = Pick<SandboxOptions, 'onProgress'> & {
  readonly config: Config
  readonly paths: AppPaths
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Nothing is written down: no rules, no key, no audit. */
  readonly incognito: boolean
  readonly apiKey?: string
  /** Keys of hooks and servers that the project configures. */
  readonly ofProject: ReadonlySet<string>
  /** Of plugins, beside those of the configuration; asked for with the first session. */
  readonly hooks?: () => readonly HookSpec[]
  /** Commands come from others: they see the workspace and the system, and nothing else of this machine. */
  readonly host?: boolean
}

export type Guards = {
  /** What confines commands, for the person: `bubblewrap`, or why nothing does. */
  readonly confinement: string
  readonly warnings: readonly string[]
  /** `[checks]` run after every edit, unasked: only where something confines them. */
  readonly runsChecks: boolean
  openSession(session: SessionScope): Promise<SessionGuards>
  /** Commands the person types themselves: as in their own shell. */
  readonly personExec: Exec
  /** What was allowed for good; absent in incognito. */
  readonly book?: RuleBook
  close(): Promise<void>
}

type SessionScope = {
  readonly id: string
  /** Where its own files lie; absent where it keeps nothing. */
  readonly folder?: string
  /** No user can be asked. */
  readonly unattended?: true
  warn(message: string): void
}

export type SessionGuards = Permissions & {
  /** What is allowed without a question; changed while the session is open. */
  readonly mode: ModeSwitch
  readonly firewall: Firewall
  /** The project's files, secrets hidden. */
  readonly files: Files
  readonly exec: Exec
  readonly fetch: Fetch
  /** What runs did to the files; called at a run's beginning and end. */
  readonly undo: OpenUndo
  /** Absent where nothing can be tried without leaving a trace. */
  readonly tryChanges?: TryChanges
  audit(entry: Omit<AuditEntry, 'sessionId'>): void
  /** Absent where the person has none. */
  hooks?(review: HooksParts['review']): Hooks
  close(): Promise<void>
}

export async function openGuards(parts: GuardsParts): Promise<Guards> {
  const { config, paths, cwd, env, incognito } = parts
  const { mode } = config.permission
  const sandbox = mode === 'bypass' ? BYPASSED : await openSandbox(parts)
  const confined = 'missing' in sandbox ? undefined : sandbox
  const personExec = createExec({ cwd, env })
  const book = incognito ? undefined : await openRuleBook(join(paths.dataFolder, 'permissions.json'))
  const watch = mode === 'bypass' ? undefined : watchOf(parts, confined)
  const sessions = new Set<SessionGuards>()
  return {
    confinement: 'missing' in sandbox ? sandbox.missing : sandbox.name,
    warnings: confined?.warnings ?? (mode === 'bypass' ? [] : unconfined(sandbox, config)),
    runsChecks: confined !== undefined || mode === 'bypass',
    personExec,
    ...(book && { book }),
    async openSession(place) {
      const opened = await openSessionGuards(parts, place, {
        ...defined({ sandbox: confined, watch, book }),
      })
      const session = { ...opened, close: () => opened.close().finally(() => sessions.delete(session)) }
      sessions.add(session)
      return session
    },
    async close() {
      await Promise.all([personExec.close(), ...Array.from(sessions, (session) => session.close())])
      // Last: what still runs stands on it.
      await confined?.close()
    },
  }
}

const BYPASSED = { missing: 'no sandbox: the permission mode is bypass' } as const

const openSandbox = ({ config, paths, cwd, env, host = false, onProgress }: GuardsParts) =>
  detectSandbox({
    ...sandboxOptions({ config, paths, env, root: cwd }),
    host,
    ...defined({ onProgress }),
  })

const unconfined = (sandbox: object, { checks }: Config): readonly string[] => {
  const why = 'missing' in sandbox ? String(sandbox.missing) : ''
  const unchecked = '[checks] are not run: they run unasked, so only in a sandbox.'
  return [
    `commands run without a sandbox, so each of them is asked for: ${why}. On Linux: apt install bubblewrap.`,
    ...(Object.keys(checks).length > 0 ? [unchecked] : []),
  ]
}

/** One for all sessions: they change the same files. */
const watchOf = ({ paths, cwd, env, incognito }: GuardsParts, sandbox: Sandbox | undefined): Watch =>
  openWatch({
    root: cwd,
    home: paths.home,
    env,
    ...defined({ sandbox }),
    ...(!incognito && { store: join(paths.dataFolder, 'withheld') }),
  })

type Shared = { readonly sandbox?: Sandbox; readonly watch?: Watch; readonly book?: RuleBook }

async function openSessionGuards(
  parts: GuardsParts,
  place: SessionScope,
  { sandbox, watch, book }: Shared,
): Promise<SessionGuards> {
  const { config, env } = parts
  const grants = createGrants()
  const { files, exec, undo, close } = await openReach(parts, place, {
    grants,
    ...defined({ sandbox, watch }),
  })
  const tryChanges = await trialOf(parts, files.root, sandbox)
  // Last of what can fail: it holds a file open.
  const secrets = await openSecrets(parts, place, files).catch((error: unknown) =>
    close().then(() => Promise.reject(error)),
  )
  const specs = [...toHooks(config.hooks), ...(parts.hooks?.() ?? [])]
  const { firewall } = secrets
  const mode = modeOf(config)
  return {
    ...permissionsOf(parts, place, { root: files.root, grants, sandbox, watch, book, mode }),
    mode,
    firewall,
    files: firewall.files,
    exec,
    undo,
    fetch: fetchWith({ offline: config.offline, rules: config.permission.rules }),
    ...defined({ tryChanges }),
    audit: auditOf(parts, place, firewall),
    ...(specs.length > 0 && {
      hooks: (review) =>
        createHooks({
          hooks: specs,
          cwd: files.root,
          env,
          launch: launchOf(parts, { root: files.root, warn: place.warn, sandbox, watch }),
          outgoingValue: firewall.outgoingValue,
          ...defined({ review }),
        }),
    }),
    close: () => close().finally(() => secrets.close()),
  }
}

type Launching = Pick<Permitting, 'root' | 'sandbox' | 'watch'> & Pick<SessionScope, 'warn'>

function launchOf(
  { config, paths, ofProject }: GuardsParts,
  { sandbox, watch, ...place }: Launching,
): Launch {
  const missing = { missing: 'commands run without one' }
  return createLaunch({
    ...place,
    ofProject,
    ofPerson: new Set(toHooks(config.hooks).flatMap(confinedKey)),
    openTrust: () => openTrust(join(paths.dataFolder, 'trust.json')),
    ...defined({ watch }),
    ...(config.permission.mode !== 'bypass' && { sandbox: async () => sandbox ?? missing }),
  })
}

const confinedKey = (hook: HookSpec): readonly string[] =>
  hook.type === 'command' && hook.isConfined && hook.launchedAs !== undefined ? [hook.launchedAs] : []

type Reach = Pick<SessionGuards, 'files' | 'exec' | 'undo' | 'close'>

/**
 * Files and commands, with what runs do to the project written down; below the firewall, or placeholders would be put
 * back.
 */
async function openReach(
  { config, paths, cwd, env, host = false }: GuardsParts,
  { folder, warn }: SessionScope,
  { grants, sandbox, watch }: Pick<Shared, 'sandbox' | 'watch'> & { readonly grants: Grants },
): Promise<Reach> {
  const { mode, rules } = config.permission
  const own = ownFolders(paths)
  const files = createFiles({ root: cwd, grants, rules, own, lifted: mode === 'bypass', ...obeying(watch) })
  const exec = createExec({
    cwd: files.root,
    env: host ? toHostEnvironment(env) : env,
    home: paths.home,
    hidden: own,
    ...closedHistory(rules, files.root),
    ...defined({ sandbox, watch }),
  })
  const { dataFolder } = paths
  const undo = await openUndoFor({ files, exec, dataFolder, ...defined({ folder }) })
  return {
    files: undo.files(files),
    exec: undo.exec(exec),
    undo,
    close: () => closeExec(exec, warn).finally(() => undo.close()),
  }
}

/** Commands that end with the session may leave something behind; it is too late to ask. */
async function closeExec(exec: ClosableExec, warn: SessionScope['warn']): Promise<void> {
  await exec.close()
  for (const { path, does, keptAt } of (await exec.executable?.())?.withheld ?? []) {
    warn(`${path} was withheld, because ${does}${keptAt === undefined ? '' : `; it is kept in ${keptAt}`}.`)
  }
}

/** What reads pages of the web is large: it is loaded with the first one. */
const fetchWith =
  (parts: FetchParts): Fetch =>
  async (url, options) => {
    const { createFetch } = await import('../guard/fetch.ts')
    return createFetch(parts)(url, options)
  }

/** Only a vote asks for it, and only about the person's own checks. */
const trialOf = async ({ config, env }: GuardsParts, root: string, sandbox: Sandbox | undefined) =>
  sandbox && config.swarm.mode !== 'off' && Object.keys(config.checks).length > 0
    ? createTrial({ root, env, sandbox })
    : undefined
