/**
 * The same rules for macOS, as a profile for `sandbox-exec`. Of several rules the last one that fits counts, so the narrow
 * ones come last. There are no namespaces there: a process that leaves its group outlives the command.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findOutsideSecrets, findProtectedPaths } from './protected-paths.ts'
import type { Sandbox, SandboxGround } from './sandbox-ground.ts'

export async function createSeatbelt(ground: SandboxGround): Promise<Sandbox> {
  const { program, folder, roots, network } = ground
  const temporary = join(folder, 'tmp')
  const outside = [...(await findOutsideSecrets(ground.home)), ...ground.hidden]
  return {
    name: 'seatbelt',
    network,
    warnings: ['A command that leaves its process group is not ended with it.'],
    async enter(argv, { grant, readsOnly = false } = {}) {
      const paths = await Promise.all(roots.map(findProtectedPaths))
      const granted = grant?.kind === 'write' ? grant.path : undefined
      const governance = paths.flatMap((each) => [
        ...each.governance,
        ...each.missingFiles,
        ...each.missingFolders,
      ])
      const profile = seatbeltProfile({
        writable: [
          ...(ground.readOnly || readsOnly ? [] : roots),
          ...(granted === undefined ? [] : [granted]),
        ],
        temporary,
        secret: [...outside, ...paths.flatMap(({ secret }) => secret)],
        governance: governance.filter((path) => path !== granted),
        network: network || grant?.kind === 'network',
      })
      return { argv: [program, '-p', profile, ...argv], env: { TMPDIR: temporary }, leave: async () => {} }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

export type SeatbeltPlan = {
  readonly writable: readonly string[]
  readonly temporary: string
  /** Neither read nor written. */
  readonly secret: readonly string[]
  /** Read only, existing or not. */
  readonly governance: readonly string[]
  readonly network: boolean
}

export function seatbeltProfile({ writable, temporary, secret, governance, network }: SeatbeltPlan): string {
  return [
    '(version 1)',
    '(allow default)',
    ...(network ? [] : ['(deny network*)']),
    '(deny file-write*)',
    rule('allow file-write*', [...writable, temporary]),
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    rule('deny file-write*', governance),
    rule('deny file-read* file-write*', secret),
    // Programs that would act for us outside.
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd"))',
    '(deny process-exec (literal "/usr/bin/osascript") (literal "/usr/bin/open"))',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

const rule = (head: string, paths: readonly string[]): string =>
  paths.length === 0 ? '' : `(${head} ${paths.map((path) => `(subpath ${quote(path)})`).join(' ')})`

/** A quote or backslash in a path must not end the text it stands in. */
const quote = (path: string): string => `"${path.replaceAll(/["\\]/g, '\\$&')}"`
