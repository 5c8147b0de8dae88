/** What `covey models` does; the longer actions have files of their own. */
import { resolve } from 'node:path'
import { appPaths } from '../config/paths.ts'
import { cleanControl, jsonLine } from '../lib/clean.ts'
import { readGguf } from '../lib/gguf.ts'
import { nearest } from '../lib/nearest.ts'
import { loadCatalog } from '../models/catalog.ts'
import { detectHardware } from '../models/hardware.ts'
import { importModel, listUnfinished, removeModel, removeUnfinished } from '../models/local-change.ts'
import { findLocal, listLocal, modelFolders, requireLocal } from '../models/local.ts'
import type { Hardware } from '../models/machine.ts'
import { systemEffects } from '../models/system.ts'
import { AppError } from '../protocol/error.ts'
import type { CommandContext } from './command.ts'
import { printFit } from './models-fit.ts'
import { formatBytes, requireArgument, type ModelsAction, type ModelsDesk } from './models-desk.ts'
import { createProbeActions, type ProbeArm } from './models-probe.ts'
import { pullModel } from './models-pull.ts'
import { showModel } from './models-show.ts'

export type ModelsParts = {
  /** What the machine has, asked only by what needs to know. */
  readonly hardware?: (modelsFolder: string) => Promise<Hardware>
  /** Asks a server what it can do; absent = nobody can. */
  readonly probe?: ProbeArm
}

export async function actOnModels(
  { hardware = thisMachine, probe }: ModelsParts,
  context: CommandContext,
): Promise<number> {
  const actions: Actions = { ...ownActions, ...(probe && createProbeActions(probe)) }
  const [name = 'ls', ...args] = context.args
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new AppError('config-invalid', unknownAction(name, Object.keys(actions)))
  return action(await openDesk({ ...context, args }, hardware))
}

type Actions = Readonly<Record<string, ModelsAction>>

const thisMachine = (folder: string): Promise<Hardware> => detectHardware(systemEffects(folder))

function unknownAction(name: string, names: readonly string[]): string {
  const guess = nearest(name, names)
  const hint = guess ? `did you mean \`covey models ${guess}\`?` : `there are ${names.join(', ')}.`
  return `unknown action "${name}" of covey models; ${hint}`
}

async function openDesk(
  context: CommandContext,
  hardware: (folder: string) => Promise<Hardware>,
): Promise<ModelsDesk> {
  const { modelsFolder, home } = appPaths(context.env, process.platform)
  const folders = modelFolders(modelsFolder, home, context.env)
  const catalog = await loadCatalog()
  return {
    context,
    catalog,
    folders,
    json: context.options['json'] === true,
    local: () => listLocal(folders, catalog),
    hardware: () => hardware(modelsFolder),
  }
}

const ownActions: Actions = {
  ls: listModels,
  fit: printFit,
  pull: pullModel,
  show: showModel,
  import: bringIn,
  rm: takeOut,
}

async function listModels({ context: { io }, folders, json, local }: ModelsDesk): Promise<number> {
  const [models, unfinished] = await Promise.all([local(), listUnfinished(folders.own)])
  if (json) {
    io.out(jsonLine({ models, unfinished }))
    return 0
  }
  for (const { id, bytes, source, path } of models) {
    io.out(
      `${cleanControl(`${id.padEnd(34)} ${formatBytes(bytes).padStart(9)}  ${source.padEnd(9)}  ${path}`)}\n`,
    )
  }
  for (const name of unfinished) io.out(`${cleanControl(name)}: not complete; pull it again to go on\n`)
  if (models.length === 0) io.out('No model is here yet. `covey models fit` says which would fit.\n')
  return 0
}

async function bringIn({ context, folders, json }: ModelsDesk): Promise<number> {
  const { io, cwd, options } = context
  const path = resolve(cwd, requireArgument(context, 'the path of a .gguf file'))
  const target = await importModel(path, folders.own, { link: options['link'] === true })
  const { bytes, architecture } = await readGguf(target)
  if (json) io.out(jsonLine({ path: target, bytes, architecture }))
  else io.out(`${cleanControl(`Here as ${target}. Use it with: covey --model ${target}`)}\n`)
  return 0
}

async function takeOut({ context, folders, json, local }: ModelsDesk): Promise<number> {
  const wanted = requireArgument(context, 'a model; `covey models` lists them')
  const models = await local()
  const unfinished = await listUnfinished(folders.own)
  const isUnfinished = unfinished.includes(wanted) && !findLocal(wanted, models)
  const removed = isUnfinished ? wanted : requireLocal(wanted, models).path
  if (isUnfinished) await removeUnfinished(folders.own, wanted)
  else await removeModel(requireLocal(wanted, models))
  context.io.out(json ? jsonLine({ removed }) : `${cleanControl(`Removed ${removed}.`)}\n`)
  return 0
}
