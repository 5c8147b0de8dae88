/** What `covey models` does; the longer actions have files of their own. */
import { resolve } from 'node:path'
import { appPaths } from '../../config/paths.ts'
import { detectUsable } from '../../app/engines.ts'
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import { readGguf } from '../../lib/gguf/header.ts'
import { nearest } from '../../lib/nearest.ts'
import { loadCatalog } from '../../models/catalog.ts'
import { importModel, listUnfinished, removeModel, removeUnfinished } from '../../models/local/change.ts'
import { findLocal, listLocal, modelFolders, requireLocal } from '../../models/local/store.ts'
import { AppError } from '../../protocol/error.ts'
import type { ProviderInfo } from '../../protocol/provider-service.ts'
import { baseUrlOf } from '../base-url.ts'
import type { CommandContext } from '../command.ts'
import { printFit } from './fit.ts'
import {
  formatBytes,
  requireArgument,
  type ModelsAction,
  type ModelsService,
  type UsableMachine,
} from './local.ts'
import { createProbeActions, type ProbeArm } from './probe.ts'
import { pullModel } from './pull.ts'
import { showModel } from './show.ts'

export type ModelsParts = {
  /** What the machine has, asked only by what needs to know. */
  readonly machine?: (env: NodeJS.ProcessEnv) => Promise<UsableMachine>
  /** Asks a server what it can do; absent = not possible. */
  readonly probe?: ProbeArm
  /** What model servers offer right now; absent = only files are listed. */
  readonly servers?: (
    env: NodeJS.ProcessEnv,
    cwd: string,
    baseUrl?: string,
  ) => Promise<readonly ProviderInfo[]>
}

export async function actOnModels(
  { machine = detectUsable, probe, servers }: ModelsParts,
  context: CommandContext,
): Promise<number> {
  const actions: Actions = { ...ownActions, ...(probe && createProbeActions(probe)) }
  const [name = 'ls', ...args] = context.args
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new AppError('config-invalid', unknownAction(name, Object.keys(actions)))
  const { env, cwd } = context
  const baseUrl = baseUrlOf(context.options)
  // What is asked of one server takes its address as the first word.
  const words = baseUrl !== undefined && ASK_A_SERVER.has(name) ? [baseUrl, ...args] : args
  const service = await openService({ ...context, args: words }, machine)
  return action({ ...service, servers: async () => (await servers?.(env, cwd, baseUrl)) ?? [] })
}

const ASK_A_SERVER: ReadonlySet<string> = new Set(['probe', 'show'])

type Actions = Readonly<Record<string, ModelsAction>>

function unknownAction(name: string, names: readonly string[]): string {
  const guess = nearest(name, names)
  const hint = guess ? `did you mean \`covey models ${guess}\`?` : `there are ${names.join(', ')}.`
  return `unknown action "${name}" of covey models; ${hint}`
}

async function openService(
  context: CommandContext,
  machine: (env: NodeJS.ProcessEnv) => Promise<UsableMachine>,
): Promise<Omit<ModelsService, 'servers'>> {
  const { modelsFolder, home } = appPaths(context.env, process.platform)
  const folders = modelFolders(modelsFolder, home, context.env)
  const catalog = await loadCatalog()
  return {
    context,
    catalog,
    folders,
    json: context.options['json'] === true,
    local: () => listLocal(folders, catalog),
    machine: () => machine(context.env),
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

async function listModels(service: ModelsService): Promise<number> {
  if (baseUrlOf(service.context.options) !== undefined) return listServer(service)
  const { folders, json, local, servers } = service
  const { io } = service.context
  const [models, unfinished, found] = await Promise.all([local(), listUnfinished(folders.own), servers()])
  if (json) {
    io.out(jsonLine({ models, unfinished, servers: found }))
    return 0
  }
  for (const { id, bytes, source, path } of models) {
    io.out(
      `${cleanControl(`${id.padEnd(34)} ${formatBytes(bytes).padStart(9)}  ${source.padEnd(9)}  ${path}`)}\n`,
    )
  }
  for (const name of unfinished)
    io.out(`${cleanControl(name)}: not complete; run \`covey models pull\` again to resume\n`)
  for (const line of found.flatMap(serverLines)) io.out(`${cleanControl(line)}\n`)
  const isEmpty = models.length === 0 && found.every(({ state }) => state !== 'ready')
  if (isEmpty) io.out('No model is installed yet. `covey models fit` lists those that fit this machine.\n')
  return 0
}

async function listServer({ context: { io }, json, servers }: ModelsService): Promise<number> {
  const found = await servers()
  io.out(json ? jsonLine({ servers: found }) : `${found.flatMap(serverLines).map(cleanControl).join('\n')}\n`)
  return found.every(({ state }) => state === 'ready') ? 0 : 1
}

/** One line for each model of a server that answers, with the command that uses it; one for a server that does not. */
const serverLines = ({ id, state, about, models = [] }: ProviderInfo): readonly string[] =>
  state === 'failed'
    ? [`✗ ${id}  ${about}`]
    : models.map(({ name, use, embeds }) => {
        const how = embeds ? 'embeddings, for memory and search_code' : `covey ${use}`.trimEnd()
        return `${name.padEnd(34)} ${'server'.padStart(9)}  ${id.padEnd(9)}  ${how}`
      })

async function bringIn({ context, folders, json, local }: ModelsService): Promise<number> {
  const { io, cwd, options } = context
  const path = resolve(cwd, requireArgument(context, 'the path of a .gguf file'))
  const target = await importModel(path, folders.own, { link: options['link'] === true })
  const { bytes, architecture } = await readGguf(target)
  const id = findLocal(target, await local())?.id ?? target
  if (json) io.out(jsonLine({ id, path: target, bytes, architecture }))
  else io.out(`${cleanControl(`Imported to ${target}. Use it with: covey --model ${id}`)}\n`)
  return 0
}

async function takeOut({ context, folders, json, local }: ModelsService): Promise<number> {
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
