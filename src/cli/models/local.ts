/** What every action of `covey models` is handed, and the few words they share. */
import { AppError } from '../../protocol/error.ts'
import type { ProviderInfo } from '../../protocol/provider-service.ts'
import type { CatalogEntry } from '../../models/catalog.ts'
import type { LocalModel } from '../../models/local/model.ts'
import type { ModelFolders } from '../../models/local/store.ts'
import type { Hardware } from '../../models/machine.ts'
import type { CommandContext } from '../command.ts'

/** Hardware with the cards that the engine computes on, and what would make it use more. */
export type UsableMachine = { readonly hardware: Hardware; readonly advice?: { readonly text: string } }

export type ModelsService = {
  /** `args` are those after the action's name. */
  readonly context: CommandContext
  readonly catalog: readonly CatalogEntry[]
  readonly folders: ModelFolders
  readonly json: boolean
  local(): Promise<readonly LocalModel[]>
  machine(): Promise<UsableMachine>
  /** Asked now. */
  servers(): Promise<readonly ProviderInfo[]>
}

/** Returns the exit code. */
export type ModelsAction = (service: ModelsService) => Promise<number>

export function requireArgument({ args }: CommandContext, what: string): string {
  const [value] = args
  if (value === undefined) throw new AppError('config-invalid', `an argument is missing: pass ${what}.`)
  return value
}

export function formatBytes(bytes: number): string {
  const gib = bytes / 2 ** 30
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`
}
