/** What commands of a person look at and change without opening an app: nothing here answers, and little runs. */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { probesFileOf } from './answering.ts'
import { loadTrusted } from './app.ts'
import { appPaths } from './config/paths.ts'
import { openRouterDesk } from './fleet.ts'
import { openPeers } from './flock.ts'
import { createExec } from './guard/exec.ts'
import { createFiles } from './guard/files.ts'
import { findPatchFolder } from './guard/patch-folder.ts'
import { openRuleBook } from './guard/rule-book.ts'
import { detectSandbox } from './guard/sandbox.ts'
import { openTrust } from './guard/trust.ts'
import { openFacts } from './memories.ts'
import { createPlanDesk } from './plan/desk.ts'
import { openPlanStore, planFileOf } from './plan/store.ts'
import type { ArmSettings } from './protocol/arm.ts'
import { AppError } from './protocol/error.ts'
import type { PatchDesk } from './protocol/patch.ts'
import type { RouterDesk } from './protocol/routing.ts'
import { probeServer } from './server-arm.ts'
import { exportSession, type ExportFormat } from './session/export.ts'
import { createSessionStore, type SessionStore } from './session/store.ts'
import { createSkillsDesk } from './skills/desk.ts'
import { skillFolders } from './skills/open.ts'
import { createPatchDesk } from './tools/propose-patch-desk.ts'

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

export const openRuleBookOf = (env: NodeJS.ProcessEnv) =>
  openRuleBook(join(pathsOf(env).dataFolder, 'permissions.json'))

/** The sessions on disk, for whoever only looks at them. */
export type Sessions = SessionStore & { export(id: string, format: ExportFormat): Promise<string> }

export async function openSessions(env: NodeJS.ProcessEnv, cwd: string): Promise<Sessions> {
  const { config } = await loadTrusted({ env, cwd })
  const store = createSessionStore({
    folder: pathsOf(env).sessionsFolder,
    keep: config.sessions.keep,
  })
  return { ...store, export: async (id, format) => exportSession(await store.read(id), format) }
}

export async function openRouterDeskOf(env: NodeJS.ProcessEnv, cwd: string): Promise<RouterDesk> {
  const { config } = await loadTrusted({ env, cwd })
  return openRouterDesk(config, pathsOf(env).dataFolder, () => {})
}

/** For `covey peers`: other machines, without opening any arm. */
export async function openPeersOf(
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<ReturnType<typeof openPeers>> {
  const { config } = await loadTrusted({ env, cwd })
  return openPeers(config, pathsOf(env).dataFolder)
}

/** For `covey swarm status`. */
export async function swarmFactsOf(env: NodeJS.ProcessEnv, cwd: string) {
  const { swarm, federation } = (await loadTrusted({ env, cwd })).config
  return { mode: swarm.mode, workers: swarm.workers, federation: federation.enabled }
}

/** Asks a server, and with `full` its model, what they can do. */
export function probeServerOf(
  env: NodeJS.ProcessEnv,
  { settings, depth }: { readonly settings: ArmSettings; readonly depth: 'metadata' | 'full' },
  signal: AbortSignal,
): ReturnType<typeof probeServer> {
  const paths = pathsOf(env)
  const places = { promptsFolder: paths.promptsFolder, probesFile: probesFileOf(paths) }
  return probeServer(settings, depth, places, signal)
}

export const openPatchDesk = (cwd: string): PatchDesk =>
  createPatchDesk({ patches: () => findPatchFolder(cwd), project: createFiles({ root: cwd }) })

export async function openMemoryDesk(env: NodeJS.ProcessEnv, cwd: string) {
  const { config } = await loadTrusted({ env, cwd })
  return openFacts({
    config,
    paths: pathsOf(env),
    env,
    root: await realpath(cwd),
    incognito: false,
    warn: (text) => void process.stderr.write(`covey: ${text}\n`),
  })
}

export const openPlanDesk = async (env: NodeJS.ProcessEnv, cwd: string) =>
  createPlanDesk(openPlanStore(planFileOf(pathsOf(env).dataFolder, await realpath(cwd))))

export async function openSkillsDesk(env: NodeJS.ProcessEnv, cwd: string) {
  const folders = skillFolders(pathsOf(env), await realpath(cwd))
  const trust = await openTrust(folders.pins)
  return createSkillsDesk({ folders, trust, openExec: () => openSandboxed(env, cwd) })
}

const pathsOf = (env: NodeJS.ProcessEnv) => appPaths(env, process.platform)

/** Functions the agent made are tried where they would run: never outside a sandbox. */
async function openSandboxed(env: NodeJS.ProcessEnv, cwd: string) {
  const { dataFolder, configFolder, home } = pathsOf(env)
  const sandbox = await detectSandbox({ roots: [cwd], hidden: [dataFolder, configFolder], home, env })
  if ('missing' in sandbox)
    throw new AppError('config-invalid', `functions run only in a sandbox: ${sandbox.missing}.`)
  const exec = createExec({ cwd, env, sandbox })
  return { ...exec, close: () => exec.close().finally(() => sandbox.close()) }
}
