/** From what a person calls a model to its file: where it is, and getting it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readGguf } from '../lib/gguf/header.ts'
import { AppError } from '../protocol/error.ts'
import { type CatalogEntry, toId } from './catalog.ts'
import { download, type Downloaded, type DownloadProgress } from './download.ts'
import { fitModel } from './fit.ts'
import type { Hardware } from './machine.ts'
import type { Quant } from './quant.ts'
import { addressSource, catalogSource, type ModelSource, sourceSettings } from './source.ts'
import { readWish } from './wish.ts'

export type SourceParts = {
  readonly catalog: readonly CatalogEntry[]
  readonly env: NodeJS.ProcessEnv
  hardware(): Promise<Hardware>
}

export type FoundSource = {
  readonly source: ModelSource
  /** Absent for an address. */
  readonly chosen?: { readonly entry: CatalogEntry; readonly id: string; readonly bytes?: number }
  /** It may be meant for another machine, or for later: said, but not refused. */
  readonly doubt?: string
}

/** The quantisation that was said; where none was, the best that fits here. */
export async function findSource(
  wanted: string,
  { catalog, env, hardware }: SourceParts,
): Promise<FoundSource> {
  const settings = sourceSettings(env)
  const address = addressSource(wanted, settings)
  if (address) return { source: address }
  const wish = readWish(wanted, catalog)
  if (!wish.ok) throw new AppError('config-invalid', wish.message)
  const fit = fitModel(await hardware(), catalog, wanted)
  const quant = fit.ok ? fit.choice.quant : wish.quants[0]
  if (quant === undefined) throw new AppError('config-invalid', `${wanted} has no file to get.`)
  return {
    source: catalogSource(wish.entry, quant, settings),
    chosen: toChosen(wish.entry, quant),
    ...(!fit.ok && { doubt: fit.message }),
  }
}

function toChosen(entry: CatalogEntry, quant: Quant): NonNullable<FoundSource['chosen']> {
  const bytes = entry.files[quant]?.bytes
  return { entry, id: toId(entry, quant), ...(bytes !== undefined && { bytes }) }
}

export type FetchParts = {
  readonly folder: string
  readonly offline: boolean
  onProgress(progress: DownloadProgress): void
}

/** What has arrived stays when it is stopped; the next time goes on from there. */
export async function fetchSource(
  { url, file, sha256, token }: ModelSource,
  { folder, offline, onProgress }: FetchParts,
  signal: AbortSignal,
): Promise<Downloaded> {
  if (!offline) await mkdir(folder, { recursive: true })
  return download(
    {
      url,
      path: join(folder, file),
      offline,
      onProgress,
      verify: readGguf,
      ...(sha256 !== undefined && { sha256 }),
      ...(token !== undefined && { token }),
    },
    signal,
  )
}
