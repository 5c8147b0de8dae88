/** `covey models show`: what the catalogue knows of a model, and what the header of its file says where it is here. */
import { AppError } from '../../protocol/error.ts'
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import { readGguf, type GgufHeader } from '../../lib/gguf/header.ts'
import { quantsOf, type CatalogEntry } from '../../models/catalog.ts'
import type { LocalModel } from '../../models/local/model.ts'
import { findLocal } from '../../models/local/store.ts'
import { cacheBytes } from '../../models/memory.ts'
import { readWish } from '../../models/wish.ts'
import { formatBytes, requireArgument, type ModelsService } from './local.ts'

export async function showModel({ context, catalog, json, local }: ModelsService): Promise<number> {
  const { io } = context
  const wanted = requireArgument(context, 'a model; `covey models` and `covey models fit` list them')
  const models = await local()
  const found = findLocal(wanted, models)
  const wish = readWish(found?.id ?? wanted, catalog)
  if (!wish.ok && !found) throw new AppError('config-invalid', wish.message)
  const entry = wish.ok ? wish.entry : undefined
  const here = models.filter((model) => model === found || (entry && isOf(entry, model)))
  const files = await Promise.all(here.map(async (model) => ({ model, header: await readGguf(model.path) })))
  if (json) {
    const shown = files.map(({ model, header }) => ({ ...model, header: withoutTemplate(header) }))
    io.out(jsonLine({ ...(entry && { entry }), files: shown }))
    return 0
  }
  const lines = [
    ...(entry ? entryLines(entry) : []),
    ...files.flatMap(({ model, header }) => fileLines(model, header)),
  ]
  io.out(`${lines.map(cleanControl).join('\n')}\n`)
  return 0
}

const isOf = ({ name, size }: CatalogEntry, { id }: LocalModel): boolean => id.startsWith(`${name}:${size}:`)

const row = (name: string, text: string): string => `  ${name.padEnd(12)} ${text}`

function entryLines(entry: CatalogEntry): string[] {
  const billions = (count: number): string => `${(count / 1e9).toFixed(2).replace(/\.?0+$/, '')} billion`
  const active = entry.active < entry.parameters ? `, ${billions(entry.active)} at a time` : ''
  const sampling = Object.entries(entry.sampling).map(([key, value]) => `${key} ${value}`)
  return [
    `${entry.name}:${entry.size}  ${entry.title}`,
    row('parameters', `${billions(entry.parameters)}${active}`),
    row('window', `${entry.window} tokens; ${formatBytes(cacheBytes(entry, 32_768))} of memory for 32768`),
    row('tools', `${entry.dialect} dialect. ${entry.notes}`),
    row('edits', `${entry.editForm}${entry.fim ? '; fills in the middle' : ''}`),
    row('sampling', sampling.join(', ')),
    row('licence', entry.licence),
    row('files', `${quantsOf(entry).join(', ')} from ${entry.repo}`),
    row('mlx', entry.mlx),
    ...(entry.unchecked.length > 0 ? [row('unchecked', entry.unchecked.join(', '))] : []),
  ]
}

function fileLines({ id, path, bytes, source }: LocalModel, header: GgufHeader): string[] {
  const { architecture, parameters, layers, contextLength, chatTemplate } = header
  return [
    `${id}  in ${source}'s folder`,
    row('file', `${path}, ${formatBytes(bytes)}`),
    row(
      'header',
      `${architecture}, ${(parameters / 1e9).toFixed(2)} billion parameters, ${layers ?? '?'} layers`,
    ),
    row('window', contextLength === undefined ? 'not said' : `${contextLength} tokens`),
    row('template', chatTemplate === undefined ? 'none' : `${chatTemplate.length} characters`),
  ]
}

const withoutTemplate = ({
  chatTemplate: _template,
  ...header
}: GgufHeader): Omit<GgufHeader, 'chatTemplate'> => header
