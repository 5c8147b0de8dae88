/**
 * What commands of a person look at and change without opening an app: nothing here answers, and little runs. Each desk
 * loads the parts it stands on when it is opened, so that no command waits for those of another.
 */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { appPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { cleanControl } from '../lib/clean.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { SandboxTerms, SandboxView } from '../protocol/guard.ts'
import type { PatchDesk } from '../protocol/patch.ts'
import type { RouterDesk } from '../protocol/routing.ts'
import type { ExportFormat } from '../session/export.ts'
import type { SessionStore } from '../session/store.ts'

/** Whether commands can be confined on this machine. */
export async function findConfinement(
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ readonly name?: string; readonly missing?: string }> {
  const { detectSandbox } = await import('../guard/sandbox/detect.ts')
  const sandbox = await detectSandbox({ roots: [cwd], env })
  if ('missing' in sandbox) return sandbox
  await sandbox.close()
  return { name: sandbox.name }
}

/** What a command would see, mount by mount. */
export async function describeSandbox(
  env: NodeJS.ProcessEnv,
  cwd: string,
  terms: SandboxTerms,
): Promise<SandboxView> {
  const { detectSandbox } = await import('../guard/sandbox/detect.ts')
  const sandbox = await detectSandbox({ ...(await sandboxOptionsOf(env, cwd)), host: terms.host })
  if ('missing' in sandbox) return sandbox
  try {
    const mounts = await sandbox.describe({ readsOnly: terms.readsOnly })
    return { name: sandbox.name, network: sandbox.network, warnings: sandbox.warnings, mounts }
  } finally {
    await sandbox.close()
  }
}

export async function openRuleBookOf(env: NodeJS.ProcessEnv) {
  const { openRuleBook } = await import('../guard/permission/rule-book.ts')
  return openRuleBook(join(pathsOf(env).dataFolder, 'permissions.json'))
}

/** Which files of projects are trusted. */
export async function openTrustDesk(env: NodeJS.ProcessEnv) {
  const { openTrustOf } = await import('./config.ts')
  return openTrustOf(env)
}

/** Who may use the server of this machine. */
export async function openTokensOf(env: NodeJS.ProcessEnv) {
  const { tokensIn } = await import('../server/http/tokens.ts')
  return tokensIn(pathsOf(env).dataFolder)
}

/** The sessions on disk, for whoever only looks at them. */
export type Sessions = SessionStore & { export(id: string, format: ExportFormat): Promise<string> }

export async function openSessions(env: NodeJS.ProcessEnv, cwd: string): Promise<Sessions> {
  const { createSessionStore } = await import('../session/store.ts')
  const { exportSession } = await import('../session/export.ts')
  const config = await configOf(env, cwd)
  const store = createSessionStore({
    folder: pathsOf(env).sessionsFolder,
    keep: config.sessions.keep,
  })
  return { ...store, export: async (id, format) => exportSession(await store.read(id), format) }
}

export async function openRouterDeskOf(env: NodeJS.ProcessEnv, cwd: string): Promise<RouterDesk> {
  const { openRouterDesk } = await import('./routing.ts')
  return openRouterDesk(await configOf(env, cwd), pathsOf(env).dataFolder, () => {})
}

/** For `covey peers`: other machines, without opening any arm. */
export async function openPeersOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { openPeers } = await import('./peers.ts')
  return openPeers(await configOf(env, cwd), { dataFolder: pathsOf(env).dataFolder, env })
}

/** For `covey swarm status`. */
export async function swarmFactsOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { swarm, federation } = await configOf(env, cwd)
  return { mode: swarm.mode, workers: swarm.workers, federation: federation.enabled }
}

/** For `covey providers` and `covey slm`. */
export async function openProviders(env: NodeJS.ProcessEnv, cwd: string) {
  const { openProviderDesk } = await import('./providers.ts')
  const ground = { config: await configOf(env, cwd), paths: pathsOf(env), env, cwd }
  return openProviderDesk({ ...ground, openPeers: () => openPeersOf(env, cwd) })
}

/** Asks a server, and with `full` its model, what they can do. */
export async function probeServerOf(
  env: NodeJS.ProcessEnv,
  { settings, depth }: { readonly settings: ArmSettings; readonly depth: 'metadata' | 'full' },
  signal: AbortSignal,
) {
  const { probesFileOf } = await import('./model.ts')
  const { probeServer } = await import('./server-arm.ts')
  const paths = pathsOf(env)
  const places = { promptsFolder: paths.promptsFolder, probesFile: probesFileOf(paths) }
  return probeServer(settings, depth, places, signal)
}

export async function openPatchDesk(env: NodeJS.ProcessEnv, cwd: string): Promise<PatchDesk> {
  const { createPatchDesk } = await import('../tools/patch/proposal-desk.ts')
  const { findPatchFolder, patchRecordOf } = await import('../guard/paths/patch-folder.ts')
  const { createFiles } = await import('../guard/paths/files.ts')
  const project = createFiles({ root: cwd })
  const record = patchRecordOf(pathsOf(env).dataFolder, project.root)
  return createPatchDesk({ patches: () => findPatchFolder(cwd, record), project })
}

export async function openUndoDeskOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { openUndoDesk } = await import('./undo.ts')
  return openUndoDesk(env, cwd)
}

export async function openMemoryDesk(env: NodeJS.ProcessEnv, cwd: string) {
  const { openFacts } = await import('./memory.ts')
  return openFacts({
    config: await configOf(env, cwd),
    paths: pathsOf(env),
    env,
    root: await realpath(cwd),
    incognito: false,
    warn: (text) => void process.stderr.write(`covey: ${cleanControl(text)}\n`),
  })
}

export async function openPlanDesk(env: NodeJS.ProcessEnv, cwd: string) {
  const { createPlanDesk } = await import('../plan/desk.ts')
  const { openPlanStore, planFileOf } = await import('../plan/store.ts')
  return createPlanDesk(openPlanStore(planFileOf(pathsOf(env).dataFolder, await realpath(cwd))))
}

export async function openSkillsDesk(env: NodeJS.ProcessEnv, cwd: string) {
  const { createSkillsDesk } = await import('../skills/desk.ts')
  const { skillFolders } = await import('../skills/open.ts')
  const { openTrust } = await import('../guard/trust.ts')
  const folders = skillFolders(pathsOf(env), await realpath(cwd))
  const trust = await openTrust(folders.pins)
  return createSkillsDesk({ folders, trust, openExec: () => openSandboxed(env, cwd) })
}

const pathsOf = (env: NodeJS.ProcessEnv) => appPaths(env, process.platform)

async function configOf(env: NodeJS.ProcessEnv, cwd: string): Promise<Config> {
  const { loadTrusted } = await import('./config.ts')
  return (await loadTrusted({ env, cwd })).config
}

async function sandboxOptionsOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { sandboxOptions } = await import('./sandbox.ts')
  return sandboxOptions({
    config: await configOf(env, cwd),
    paths: pathsOf(env),
    env,
    root: await realpath(cwd),
  })
}

/** Functions the agent made are tried where they would run: never outside a sandbox. */
async function openSandboxed(env: NodeJS.ProcessEnv, cwd: string) {
  const { detectSandbox } = await import('../guard/sandbox/detect.ts')
  const { createExec } = await import('../guard/exec.ts')
  const sandbox = await detectSandbox(await sandboxOptionsOf(env, cwd))
  if ('missing' in sandbox)
    throw new AppError('config-invalid', `functions run only in a sandbox: ${sandbox.missing}.`)
  const exec = createExec({ cwd, env, sandbox })
  return { ...exec, close: () => exec.close().finally(() => sandbox.close()) }
}
