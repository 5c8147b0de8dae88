/** The permissions of one session: its mode, which a person may change, over the rules of the configuration. */
import type { AppPaths } from '../config/paths.ts'
import type { Config } from '../config/schema.ts'
import type { Watch } from '../guard/executable/watch.ts'
import { createPermissions } from '../guard/permission/decide.ts'
import type { Grants } from '../guard/permission/grants.ts'
import type { PermissionMode } from '../protocol/permission-modes.ts'
import type { Sandbox } from '../guard/sandbox/context.ts'
import type { RuleBook } from '../protocol/guard.ts'

/** What is allowed without a question. */
export type ModeSwitch = { current(): PermissionMode; use(mode: PermissionMode): void }

type Place = { readonly config: Config; readonly paths: AppPaths }

export const ownFolders = ({ dataFolder, configFolder }: AppPaths): readonly string[] => [
  dataFolder,
  configFolder,
]

export type Permitting = {
  readonly root: string
  readonly grants: Grants
  readonly sandbox: Sandbox | undefined
  readonly watch: Watch | undefined
  readonly book: RuleBook | undefined
  readonly mode: ModeSwitch
}

export function modeOf({ permission }: Config): ModeSwitch {
  let mode: PermissionMode = permission.mode
  return {
    current: () => mode,
    use(next) {
      mode = next
    },
  }
}

export const permissionsOf = (
  { config, paths }: Place,
  { unattended }: { readonly unattended?: true },
  { root, grants, sandbox, watch, book, mode }: Permitting,
) =>
  createPermissions({
    get mode() {
      return mode.current()
    },
    rules: config.permission.rules,
    ...(book && { book }),
    roots: [root],
    sandboxed: sandbox !== undefined,
    network: sandbox?.network ?? false,
    grants,
    own: ownFolders(paths),
    home: paths.home,
    ...obeying(watch),
    ...(unattended && { unattended }),
  })

export const obeying = (watch: Watch | undefined) => (watch ? { obeys: watch.obeys } : {})
