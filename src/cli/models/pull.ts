/**
 * `covey models pull`: from a name or an address to a checked file. Ctrl+C keeps what has arrived; the same command goes
 * on from there.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import { readGguf } from '../../lib/gguf/header.ts'
import { toId, type CatalogEntry } from '../../models/catalog.ts'
import { download, type Downloaded, type DownloadProgress } from '../../models/download.ts'
import { fitModel } from '../../models/fit.ts'
import { findLocal } from '../../models/local/store.ts'
import type { Quant } from '../../models/quant.ts'
import { addressSource, catalogSource, sourceSettings, type ModelSource } from '../../models/source.ts'
import { readWish } from '../../models/wish.ts'
import { AppError } from '../../protocol/error.ts'
import type { CommandContext } from '../command.ts'
import { formatBytes, requireArgument, type ModelsService } from './local.ts'
import { createProgress } from './progress.ts'
import { defined } from '../../lib/object.ts'

export async function pullModel(service: ModelsService): Promise<number> {
  const { context, folders, json } = service
  const { io, env, signal } = context
  const wanted = requireArgument(
    context,
    'a model such as qwen3.5:4b, hf:owner/repo/file.gguf, or an address',
  )
  const settings = sourceSettings(env)
  const source = addressSource(wanted, settings) ?? (await namedSource(wanted, service))
  const elsewhere = source.id === undefined ? undefined : findLocal(source.id, await service.local())
  if (elsewhere)
    return report(service, source, { path: elsewhere.path, bytes: elsewhere.bytes, wasHere: true })
  const progress = createProgress(io, source.file, json)
  try {
    const got = await fetchSource(source, service, progress.show)
    progress.end()
    return report(service, source, got)
  } catch (error) {
    progress.end()
    if (!signal.aborted) throw error
    io.err(`Stopped; what has arrived is kept in ${folders.own}. The same command goes on from there.\n`)
    return 130
  }
}

async function fetchSource(
  source: ModelSource,
  { context, folders }: ModelsService,
  onProgress: (progress: DownloadProgress) => void,
): Promise<Downloaded> {
  const { url, file, sha256, token } = source
  const offline = await isOffline(context)
  if (!offline) await mkdir(folders.own, { recursive: true })
  return download(
    {
      url,
      path: join(folders.own, file),
      offline,
      onProgress,
      verify: readGguf,
      ...defined({ sha256, token }),
    },
    context.signal,
  )
}

async function isOffline({ options, env, cwd }: CommandContext): Promise<boolean> {
  return options['offline'] === true || (await loadConfig({ env, cwd })).config.offline
}

/** The quantisation that was said; where none was, the best that fits here. */
async function namedSource(
  wanted: string,
  { context, catalog, machine }: ModelsService,
): Promise<ModelSource> {
  const wish = readWish(wanted, catalog)
  if (!wish.ok) throw new AppError('config-invalid', wish.message)
  const fit = fitModel((await machine()).hardware, catalog, wanted)
  // It may be meant for another machine, or for later: said, but not refused.
  if (!fit.ok) context.io.err(`covey: ${fit.message}\n`)
  const quant = fit.ok ? fit.choice.quant : wish.quants[0]
  if (quant === undefined) throw new AppError('config-invalid', `${wanted} has no file to get.`)
  context.io.err(`${describe(wish.entry, quant)}\n`)
  return catalogSource(wish.entry, quant, sourceSettings(context.env))
}

function describe(entry: CatalogEntry, quant: Quant): string {
  const bytes = entry.files[quant]?.bytes
  const size = bytes === undefined ? '' : `, ${formatBytes(bytes)}`
  return `${toId(entry, quant)}: ${entry.title}${size}, licence ${entry.licence}, from ${entry.repo}`
}

function report(
  { context: { io }, json }: ModelsService,
  { id }: ModelSource,
  { path, bytes, wasHere }: Downloaded,
): number {
  if (json) {
    io.out(jsonLine({ type: 'done', ...defined({ id }), path, bytes, wasHere }))
    return 0
  }
  const what = wasHere ? 'Already here' : 'Saved'
  io.out(
    `${cleanControl(`${what}: ${path} (${formatBytes(bytes)}). Use it with: covey --model ${id ?? path}`)}\n`,
  )
  return 0
}
