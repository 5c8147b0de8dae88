/** Looks around on this machine and resolves a wish: the one effectful way from `--model name:size:quant` to a file. */
import { loadCatalog } from './catalog.ts'
import type { FitOptions } from './fit.ts'
import { detectHardware } from './hardware.ts'
import { listLocal, modelFolders } from './local.ts'
import { resolveModel, type ResolvedModel } from './resolve.ts'
import { systemEffects } from './system.ts'

export type ModelPlace = {
  readonly modelsFolder: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  /** False where the engine that will load the file cannot use graphics cards: then only the main memory counts. */
  readonly graphics: boolean
}

/** `wish` is `name:size:quant` or `auto`; throws an AppError with the next step where it cannot be met. */
export async function findModel(
  wish: string,
  { modelsFolder, home, env, graphics }: ModelPlace,
  options: FitOptions = {},
): Promise<ResolvedModel> {
  const catalog = await loadCatalog()
  const [local, hardware] = await Promise.all([
    listLocal(modelFolders(modelsFolder, home, env), catalog),
    detectHardware(systemEffects(modelsFolder)),
  ])
  return resolveModel(wish, {
    local,
    catalog,
    hardware: graphics ? hardware : { ...hardware, gpus: [] },
    options,
  })
}
