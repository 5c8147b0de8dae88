/**
 * From what the user asked for (`name:size:quant`, or the best) to the file that is loaded. Only what is on this
 * machine is ever chosen, and a wish is met exactly; an obstacle is an error with the command that removes it. Pure.
 */
import { AppError } from '../protocol/error.ts'
import { quantsOf, toId, type CatalogEntry } from './catalog.ts'
import { fitModel, type Fit, type FitOptions, type FitResult } from './fit.ts'
import type { LocalModel } from './local/model.ts'
import { findLocal, requireLocal } from './local/store.ts'
import type { Hardware } from './machine.ts'

export type ResolveParts = {
  readonly local: readonly LocalModel[]
  readonly hardware: Hardware
  readonly catalog: readonly CatalogEntry[]
  readonly options?: FitOptions
}

export type ResolvedModel = {
  readonly id: string
  readonly path: string
  /** How many requests at once fit with that window. */
  readonly workers: number
  /** What to type to get the same again. */
  readonly command: string
  /** Absent for a file the catalogue does not know: its header decides. */
  readonly entry?: CatalogEntry
  readonly window?: number
  /** What a person should know, such as that a better one would fit. */
  readonly note?: string
}

/** The wish `auto` is the best that fits and is here. */
export function resolveModel(wish: string, parts: ResolveParts): ResolvedModel {
  return wish === AUTO ? resolveBest(parts) : resolveNamed(wish, parts)
}

const AUTO = 'auto'

function resolveNamed(wish: string, { local, hardware, catalog, options }: ResolveParts): ResolvedModel {
  const here = fitModel(hardware, onlyLocal(catalog, local), wish, options)
  if (here.ok) return toResolved(here.choice, here.command, local)
  if (here.reason === 'too-large') throw new AppError('model-unavailable', here.message)
  const file = findLocal(wish, local)
  if (file) return { id: file.id, path: file.path, workers: 1, command: `covey --model ${wish}` }
  const known = fitModel(hardware, catalog, wish, options)
  if (known.ok) {
    const { id } = known.choice
    throw new AppError(
      'model-unavailable',
      `${id} is not on this machine. Get it with: covey models pull ${id}`,
    )
  }
  const code = known.reason === 'unknown-model' ? 'config-invalid' : 'model-unavailable'
  throw new AppError(code, known.message)
}

function resolveBest({ local, hardware, catalog, options }: ResolveParts): ResolvedModel {
  const here = fitModel(hardware, onlyLocal(catalog, local), undefined, options)
  const all = fitModel(hardware, catalog, undefined, options)
  if (here.ok) return { ...toResolved(here.choice, here.command, local), ...betterOne(here.choice, all) }
  if (!all.ok) throw new AppError('model-unavailable', all.message)
  const { id } = all.choice
  const text = `No model that fits is on this machine. The best for it is ${id}; get it with: covey models pull ${id}`
  throw new AppError('model-unavailable', text)
}

function betterOne(choice: Fit, all: FitResult): { note?: string } {
  if (!all.ok || all.choice.id === choice.id) return {}
  return { note: `${all.choice.id} would do better here; get it with: covey models pull ${all.choice.id}` }
}

function toResolved(
  { id, entry, window, workers }: Fit,
  command: string,
  local: readonly LocalModel[],
): ResolvedModel {
  return { id, path: requireLocal(id, local).path, entry, window, workers, command }
}

/** The catalogue as if only these files existed, each with its real size. */
function onlyLocal(catalog: readonly CatalogEntry[], local: readonly LocalModel[]): readonly CatalogEntry[] {
  return catalog
    .map((entry) => {
      const files = quantsOf(entry).flatMap((quant) => {
        const file = findLocal(toId(entry, quant), local)
        return file ? [[quant, { ...entry.files[quant], bytes: file.bytes }] as const] : []
      })
      return { ...entry, files: Object.fromEntries(files) as CatalogEntry['files'] }
    })
    .filter((entry) => quantsOf(entry).length > 0)
}
