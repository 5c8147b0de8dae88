/**
 * Models that are asked for by their name: files on this machine, as `covey models` lists them, and `SERVER/MODEL` on a
 * server that was found here. Arms have their names in the configuration.
 */
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ArmWanted } from './arms.ts'
import { chooseArm } from '../config/choose-arm.ts'
import type { AppPaths } from '../config/paths.ts'
import { toServers } from '../config/router.ts'
import type { Config } from '../config/schema.ts'
import { AppError } from '../protocol/error.ts'
import { openConsent } from '../router/consent.ts'
import { allServers, settingsAt } from '../router/discovery.ts'

type LookupContext = {
  readonly env: NodeJS.ProcessEnv
  readonly paths: AppPaths
  readonly cwd: string
  readonly window?: number
  readonly incognito?: boolean
}

export async function findFile(
  { wish, noArm }: { readonly wish: string; readonly noArm?: string },
  { env, window, paths }: LookupContext,
): Promise<{ readonly arm: ArmWanted; readonly notes: readonly string[] }> {
  const { findModel } = await import('../models/find.ts')
  const { detectUsable } = await import('./engines.ts')
  const { modelsFolder, home } = paths
  const { hardware, advice } = await detectUsable(env)
  const place = { modelsFolder, home, env, hardware }
  const found = await findModel(wish, place, window === undefined ? {} : { window }).catch(withoutArm(noArm))
  const hint = advice ? ` (${advice.text})` : ''
  const chosenNote = wish === 'auto' ? [`chosen: ${found.id}; the same again: ${found.command}${hint}`] : []
  return {
    arm: {
      kind: 'gguf',
      path: found.path,
      name: found.id,
      sequences: found.workers,
      ...(found.window !== undefined && { window: found.window }),
    },
    notes: [...chosenNote, ...(found.note ? [found.note] : [])],
  }
}

export type NamedProblem = {
  readonly text: string
  /** The name itself is wrong; otherwise something is missing until it can be asked. */
  readonly isUnknown: boolean
}

/** What a run with `model = NAME` would say before it asks; absent where nothing is wrong. Loads no model. */
export async function problemOfName(
  name: string,
  config: Config,
  context: Pick<LookupContext, 'env' | 'paths'>,
): Promise<NamedProblem | undefined> {
  const { env, paths } = context
  try {
    if (name.includes('/') && findOnServer(name, config, { ...context, cwd: '.' })) return undefined
    const choice = chooseArm(config, { model: name }, env)
    if (choice.kind === 'named') await requireNamed(choice, { env, paths })
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { text: error.message, isUnknown: error.code === 'config-invalid' }
  }
}

/** As `findFile` does, by the machine's own memory: which build computes is not asked. */
async function requireNamed(
  { wish, noArm }: { readonly wish: string; readonly noArm?: string },
  { env, paths }: Pick<LookupContext, 'env' | 'paths'>,
): Promise<void> {
  const { findModel } = await import('../models/find.ts')
  const { detectHardware } = await import('../models/hardware/detect.ts')
  const { systemEffects } = await import('../models/system.ts')
  const { modelsFolder, home } = paths
  const hardware = await detectHardware(systemEffects(modelsFolder))
  await findModel(wish, { modelsFolder, home, env, hardware }).catch(withoutArm(noArm))
}

const withoutArm =
  (noArm: string | undefined) =>
  (error: unknown): never => {
    if (noArm === undefined || !(error instanceof AppError) || error.code !== 'config-invalid') throw error
    const text = `${noArm} No model on this machine has that name either; \`covey models\` lists them.`
    throw new AppError('config-invalid', text, { cause: error })
  }

/** `NAME.gguf` is a file of this folder, or one that was imported or downloaded. */
export async function isImported(path: string, { cwd, paths }: LookupContext): Promise<boolean> {
  const isHere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    )
  if (path.includes('/') || (await isHere(resolve(cwd, path)))) return false
  return isHere(resolve(paths.modelsFolder, path))
}

/** Whether it has that model the server says when it is asked. */
export function findOnServer(
  name: string,
  { arms, router, offline }: Config,
  { paths, incognito = false }: LookupContext,
): Extract<ArmWanted, { kind: 'arm' }> | undefined {
  if (Object.hasOwn(arms, name)) return undefined
  const servers = allServers(toServers(router, !offline && !incognito))
  const server = servers.find((one) => name.startsWith(`${one.name}/`))
  if (!server) return undefined
  const why = openConsent(paths).problem(server)
  if (why !== undefined) throw new AppError('model-unavailable', `${server.name} is not used: ${why}.`)
  return {
    kind: 'arm',
    settings: settingsAt(server, name.slice(server.name.length + 1)),
    why: 'chosen by name',
  }
}
