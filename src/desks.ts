/** What commands of a person look at and change without opening an app: nothing here answers, and little runs. */
import { realpath } from 'node:fs/promises'
import { loadTrusted } from './app.ts'
import { appPaths } from './config/paths.ts'
import { createExec } from './guard/exec.ts'
import { createFiles } from './guard/files.ts'
import { findPatchFolder } from './guard/patch-folder.ts'
import { detectSandbox } from './guard/sandbox.ts'
import { openTrust } from './guard/trust.ts'
import { openFacts } from './memories.ts'
import { createPlanDesk } from './plan/desk.ts'
import { openPlanStore, planFileOf } from './plan/store.ts'
import { AppError } from './protocol/error.ts'
import type { PatchDesk } from './protocol/patch.ts'
import { createSkillsDesk } from './skills/desk.ts'
import { skillFolders } from './skills/open.ts'
import { createPatchDesk } from './tools/propose-patch-desk.ts'

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
