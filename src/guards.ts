/**
 * Opens what stands between a call and its effect: the half of `app.ts` that knows the guard. One sandbox for the program;
 * for each session its own permissions, files, commands, firewall and hooks, so that what a person allows in one is no
 * answer in another.
 */
import { join } from 'node:path'
import { toHooks } from './config/hooks.ts'
import type { AppPaths } from './config/paths.ts'
import type { Config } from './config/schema.ts'
import { toSecretPatterns } from './config/secrets.ts'
import { createAudit } from './guard/audit.ts'
import { createExec } from './guard/exec.ts'
import type { FetchParts } from './guard/fetch.ts'
import { createFiles } from './guard/files.ts'
import { createFirewall } from './guard/firewall.ts'
import { createGrants, type Grants } from './guard/grants.ts'
import { createHooks, type HooksParts } from './guard/hooks.ts'
import { toHostEnvironment } from './guard/host/environment.ts'
import { createDenies } from './guard/permission/denied-paths.ts'
import { createPermissions } from './guard/permissions.ts'
import { openRuleBook } from './guard/rule-book.ts'
import { detectSandbox } from './guard/sandbox.ts'
import type { Sandbox } from './guard/sandbox-ground.ts'
import { environmentSecrets } from './guard/secret-known.ts'
import { loadSecretKey, openSecretStore } from './guard/secret-store.ts'
import { createTrial } from './guard/trial.ts'
import type { Reserve } from './protocol/arm.ts'
import type { Firewall } from './protocol/firewall.ts'
import type { AuditEntry, Permissions, RuleBook } from './protocol/guard.ts'
import type { Hooks, HookSpec } from './protocol/hooks.ts'
import type { Exec, Fetch, Files, TryChanges } from './protocol/tool.ts'
import type { OpenUndo } from './undo/undo.ts'
import { openUndoFor } from './undoing.ts'

export type GuardsParts = {
  readonly config: Config
  readonly paths: AppPaths
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Nothing is written down: no rules, no key, no audit. */
  readonly incognito: boolean
  readonly apiKey?: string
  /** Of plugins, beside those of the configuration. */
  readonly hooks?: readonly HookSpec[]
  /** Commands come from others: they see the workspace and the system, and nothing else of this machine. */
  readonly host?: boolean
}

export type Guards = {
  /** What confines commands, for the person: `bubblewrap`, or why nothing does. */
  readonly confinement: string
  readonly warnings: readonly string[]
  openSession(session: SessionPlace): Promise<SessionGuards>
  /** Commands the person types themselves: as in their own shell. */
  readonly personExec: Exec
  close(): Promise<void>
}

type SessionPlace = {
  readonly id: string
  /** Where its own files lie; absent where it keeps nothing. */
  readonly folder?: string
  /** Nobody can be asked. */
  readonly unattended?: true
  warn(message: string): void
}

export type SessionGuards = Permissions & {
  readonly firewall: Firewall
  /** The project's files, secrets hidden. */
  readonly files: Files
  readonly exec: Exec
  readonly fetch: Fetch
  /** What runs did to the files; told of a run's beginning and end. */
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
  const sessions = new Set<SessionGuards>()
  return {
    confinement: 'missing' in sandbox ? sandbox.missing : sandbox.name,
    warnings: confined?.warnings ?? (mode === 'bypass' ? [] : [unconfined(sandbox)]),
    personExec,
    async openSession(place) {
      const opened = await openSessionGuards(parts, place, {
        ...(confined && { sandbox: confined }),
        ...(book && { book }),
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

const openSandbox = ({ config, paths, cwd, env }: GuardsParts) =>
  detectSandbox({
    roots: [cwd],
    hidden: ownFolders(paths),
    home: paths.home,
    env,
    network: config.sandbox.network,
    readOnly: config.permission.mode === 'read-only',
    denies: createDenies(config.permission.rules, cwd),
  })

const ownFolders = ({ dataFolder, configFolder }: AppPaths): readonly string[] => [dataFolder, configFolder]

const unconfined = (sandbox: object): string => {
  const why = 'missing' in sandbox ? String(sandbox.missing) : ''
  return `commands run without a sandbox, so each of them is asked for: ${why}. On Linux: apt install bubblewrap.`
}

type Shared = { readonly sandbox?: Sandbox; readonly book?: RuleBook }

async function openSessionGuards(
  parts: GuardsParts,
  place: SessionPlace,
  { sandbox, book }: Shared,
): Promise<SessionGuards> {
  const { config, env } = parts
  const { rules } = config.permission
  const grants = createGrants()
  const { files, exec, undo, close } = await openReach(parts, place, { grants, ...(sandbox && { sandbox }) })
  const tryChanges = await trialOf(parts, files.root, sandbox)
  // Last of what can fail: it holds a file open.
  const secrets = await openSecrets(parts, place, files).catch((error: unknown) =>
    close().then(() => Promise.reject(error)),
  )
  const specs = [...toHooks(config.hooks), ...(parts.hooks ?? [])]
  const { firewall } = secrets
  return {
    ...createPermissions({
      mode: config.permission.mode,
      rules,
      ...(book && { book }),
      roots: [files.root],
      sandboxed: sandbox !== undefined,
      network: sandbox?.network ?? false,
      grants,
      own: ownFolders(parts.paths),
      home: parts.paths.home,
      ...(place.unattended && { unattended: true }),
    }),
    firewall,
    files: firewall.files,
    exec,
    undo,
    fetch: fetchWith({ offline: config.offline, rules }),
    ...(tryChanges && { tryChanges }),
    audit: auditOf(parts, place, firewall),
    ...(specs.length > 0 && {
      hooks: (review) =>
        createHooks({
          hooks: specs,
          cwd: files.root,
          env,
          outgoingValue: firewall.outgoingValue,
          ...(review && { review }),
        }),
    }),
    close: () => close().finally(() => secrets.close()),
  }
}

type Reach = Pick<SessionGuards, 'files' | 'exec' | 'undo' | 'close'>

/** Files and commands, with what runs do to the project written down; below the firewall, or placeholders would be put back. */
async function openReach(
  { config, paths, cwd, env, host = false }: GuardsParts,
  { folder }: SessionPlace,
  { grants, sandbox }: { readonly grants: Grants; readonly sandbox?: Sandbox },
): Promise<Reach> {
  const { mode, rules } = config.permission
  const own = ownFolders(paths)
  const files = createFiles({ root: cwd, grants, rules, own, lifted: mode === 'bypass' })
  const { home } = paths
  const childEnv = host ? toHostEnvironment(env) : env
  const exec = createExec({ cwd: files.root, env: childEnv, home, hidden: own, ...(sandbox && { sandbox }) })
  const { dataFolder } = paths
  const undo = await openUndoFor({ files, exec, dataFolder, ...(folder !== undefined && { folder }) })
  return {
    files: undo.files(files),
    exec: undo.exec(exec),
    undo,
    close: () => exec.close().finally(() => undo.close()),
  }
}

/** What reads pages of the web is large: it is loaded with the first one. */
const fetchWith =
  (parts: FetchParts): Fetch =>
  async (url, options) => {
    const { createFetch } = await import('./guard/fetch.ts')
    return createFetch(parts)(url, options)
  }

/** Only a vote asks for it, and only about the person's own checks. */
const trialOf = async ({ config, env }: GuardsParts, root: string, sandbox: Sandbox | undefined) =>
  sandbox && config.swarm.mode !== 'off' && Object.keys(config.checks).length > 0
    ? createTrial({ root, env, sandbox })
    : undefined

type Secrets = { readonly firewall: Firewall; close(): Promise<void> }

async function openSecrets(
  { config, paths, env, apiKey, incognito }: GuardsParts,
  { folder, warn }: SessionPlace,
  files: Files,
): Promise<Secrets> {
  const key = incognito ? undefined : await loadSecretKey(join(paths.dataFolder, 'keys', 'secrets'))
  const store = folder === undefined ? undefined : await openSecretStore(join(folder, 'secrets.jsonl'))
  const patterns = toSecretPatterns(config.secrets)
  const close = async () => store?.close()
  try {
    const firewall = createFirewall({
      files,
      patterns,
      entropy: config.secrets.entropy,
      known: [...keysOf(config, apiKey), ...environmentSecrets(env)],
      onWarning: warn,
      ...(key && { key }),
      ...(store && { records: store.records, keep: store.keep }),
    })
    return { firewall, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Keys that are written out; one that is `${VARIABLE}` stands in the environment. */
function keysOf({ arms, mcp, tool_host: host, federation }: Config, apiKey: string | undefined) {
  const keys = [
    apiKey,
    host.token,
    federation.nats.password,
    ...Object.values(arms).map((arm) => arm.api_key),
  ]
  const named = [...Object.values(arms), ...Object.values(mcp.servers)]
  return [
    ...keys.flatMap((value) => (value && !value.includes('${') ? [{ kind: 'api-key', value }] : [])),
    ...named.flatMap(({ headers }) => environmentSecrets(headers)),
    ...Object.values(mcp.servers).flatMap((server) => environmentSecrets(server.env)),
  ]
}

function auditOf(
  { paths, incognito }: GuardsParts,
  { id }: SessionPlace,
  { outgoingValue }: Firewall,
): SessionGuards['audit'] {
  if (incognito) return () => {}
  const audit = createAudit({ path: join(paths.dataFolder, 'audit.log'), outgoingValue })
  return (entry) => audit.write({ ...entry, sessionId: id })
}

/** Whatever arm is reserved, it is asked and heard through the firewall. */
export const throughFirewall =
  (reserve: Reserve, firewall: Firewall): Reserve =>
  async (request, signal) => {
    const lease = await reserve(request, signal)
    return { ...lease, model: firewall.model(lease.model) }
  }
