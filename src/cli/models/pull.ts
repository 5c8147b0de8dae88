/**
 * `covey models pull`: from a name or an address to a checked file. Ctrl+C keeps what has arrived; the same command goes
 * on from there.
 */
import { loadConfig } from '../../config/load.ts'
import { cleanControl, jsonLine } from '../../lib/clean.ts'
import type { Downloaded } from '../../models/download.ts'
import { findLocal } from '../../models/local/store.ts'
import { fetchSource, findSource, type FoundSource } from '../../models/pull.ts'
import type { ModelSource } from '../../models/source.ts'
import type { CommandContext } from '../command.ts'
import { formatBytes, requireArgument, type ModelsService } from './local.ts'
import { createProgress } from './progress.ts'
import { defined } from '../../lib/object.ts'

export async function pullModel(service: ModelsService): Promise<number> {
  const { context, folders, json } = service
  const { io, signal } = context
  const wanted = requireArgument(
    context,
    'a model such as qwen3.5:4b, hf:owner/repo/file.gguf, or an address',
  )
  const source = await namedSource(wanted, service)
  const elsewhere = source.id === undefined ? undefined : findLocal(source.id, await service.local())
  if (elsewhere)
    return report(service, source, { path: elsewhere.path, bytes: elsewhere.bytes, wasHere: true })
  const progress = createProgress(io, source.file, json)
  try {
    const parts = { folder: folders.own, offline: await isOffline(context), onProgress: progress.show }
    const got = await fetchSource(source, parts, signal)
    progress.end()
    return report(service, source, got)
  } catch (error) {
    progress.end()
    if (!signal.aborted) throw error
    io.err(`Stopped; what has arrived is kept in ${folders.own}. The same command goes on from there.\n`)
    return 130
  }
}

async function isOffline({ options, env, cwd }: CommandContext): Promise<boolean> {
  return options['offline'] === true || (await loadConfig({ env, cwd })).config.offline
}

async function namedSource(
  wanted: string,
  { context, catalog, machine }: ModelsService,
): Promise<ModelSource> {
  const hardware = async () => (await machine()).hardware
  const { source, chosen, doubt } = await findSource(wanted, { catalog, env: context.env, hardware })
  if (doubt !== undefined) context.io.err(`covey: ${doubt}\n`)
  if (chosen) context.io.err(`${describe(chosen)}\n`)
  return source
}

function describe({ entry, id, bytes }: NonNullable<FoundSource['chosen']>): string {
  const size = bytes === undefined ? '' : `, ${formatBytes(bytes)}`
  return `${id}: ${entry.title}${size}, licence ${entry.licence}, from ${entry.repo}`
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
