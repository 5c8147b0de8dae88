/**
 * What commands read and change without opening an app: no model answers, and little runs. Each service
 * loads the parts it needs when it is opened, so that no command waits for those of another.
 */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { appPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import { cleanControl } from '../lib/clean.ts'
import { defined } from '../lib/object.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { SandboxTerms, SandboxView } from '../protocol/guard.ts'
import type { PatchService } from '../protocol/patch.ts'
import type { RouterService } from '../protocol/routing.ts'
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
/** What a command would do, as far as that can be read from it. */
export const effectsOfCommand = async (command: string) =>
  (await import('../guard/effects.ts')).effectsOf(command)

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
export async function openTrustService(env: NodeJS.ProcessEnv) {
  const { openTrustOf } = await import('./config.ts')
  return openTrustOf(env)
}

/** Who may use the server of this machine. */
export async function openTokensOf(env: NodeJS.ProcessEnv) {
  const { tokensIn } = await import('../server/http/tokens.ts')
  return tokensIn(pathsOf(env).dataFolder)
}

/** The sessions on disk, for commands that only read them. */
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

export async function openRouterServiceOf(env: NodeJS.ProcessEnv, cwd: string): Promise<RouterService> {
  const { openRouterService } = await import('./routing.ts')
  return openRouterService(await configOf(env, cwd), pathsOf(env).dataFolder, () => {})
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

/** For `covey providers` and `covey slm`. With an address, only the server there is asked. */
export async function openProviders(env: NodeJS.ProcessEnv, cwd: string, baseUrl?: string) {
  const { openProviderService } = await import('./providers.ts')
  const context = { config: await configOf(env, cwd), paths: pathsOf(env), env, cwd, ...defined({ baseUrl }) }
  return openProviderService({ ...context, openPeers: () => openPeersOf(env, cwd) })
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

export async function openPatchService(env: NodeJS.ProcessEnv, cwd: string): Promise<PatchService> {
  const { createPatchService } = await import('../tools/patch/proposal-service.ts')
  const { findPatchFolder, patchRecordOf } = await import('../guard/paths/patch-folder.ts')
  const { createFiles } = await import('../guard/paths/files.ts')
  const project = createFiles({ root: cwd })
  const record = patchRecordOf(pathsOf(env).dataFolder, project.root)
  return createPatchService({ patches: () => findPatchFolder(cwd, record), project })
}

export async function openUndoServiceOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { openUndoService } = await import('./undo.ts')
  return openUndoService(env, cwd)
}

export async function openMemoryService(env: NodeJS.ProcessEnv, cwd: string) {
  const { openFacts } = await import('./memory.ts')
  const { findEmbedder } = await import('./embedding.ts')
  const [config, paths] = [await configOf(env, cwd), pathsOf(env)]
  const embedder = await findEmbedder({ config, paths })
  const facts = await openFacts({
    config,
    paths,
    env,
    root: await realpath(cwd),
    incognito: false,
    ...defined({ embedder }),
    warn: (text) => void process.stderr.write(`covey: ${cleanControl(text)}\n`),
  })
  return { ...facts, ...(embedder && { embeddingModel: embedder.model }) }
}

export async function openPlanService(env: NodeJS.ProcessEnv, cwd: string) {
  const { createPlanService } = await import('../plan/service.ts')
  return createPlanService(await openPlanStoreOf(env, cwd))
}

export async function openPlanStoreOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { openPlanStore, planFileOf } = await import('../plan/store.ts')
  return openPlanStore(planFileOf(pathsOf(env).dataFolder, await realpath(cwd)))
}

export async function openSkillsService(env: NodeJS.ProcessEnv, cwd: string) {
  const { createSkillsService } = await import('../skills/service.ts')
  const { skillFolders } = await import('../skills/open.ts')
  const { openTrust } = await import('../guard/trust.ts')
  const folders = skillFolders(pathsOf(env), await realpath(cwd))
  const trust = await openTrust(folders.pins)
  return createSkillsService({ folders, trust, openExec: () => openSandboxed(env, cwd) })
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
