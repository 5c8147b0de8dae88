/** Looks around on this machine and resolves a wish: the one effectful way from `--model name:size:quant` to a file. */
import { loadCatalog } from './catalog.ts'
import type { FitOptions } from './fit.ts'
import { listLocal, modelFolders } from './local/store.ts'
import type { Hardware } from './machine.ts'
import { resolveModel, type ResolvedModel } from './resolve.ts'

export type ModelLookup = {
  readonly modelsFolder: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** With those graphics cards only that the engine can compute on. */
  readonly hardware: Hardware
}

/** `wish` is `name:size:quant` or `auto`; throws an AppError with the next step where it cannot be met. */
export async function findModel(
  wish: string,
  { modelsFolder, home, env, hardware }: ModelLookup,
  options: FitOptions = {},
): Promise<ResolvedModel> {
  const catalog = await loadCatalog()
  const local = await listLocal(modelFolders(modelsFolder, home, env), catalog)
  return resolveModel(wish, {
    local,
    catalog,
    hardware,
    options,
  })
}
