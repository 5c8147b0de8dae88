/** The words bubblewrap is called with. Pure: a plan in, arguments out; later ones cover earlier ones. */
import { existsSync } from 'node:fs'
import { isRawName, toRawBytes } from '../../lib/raw-name.ts'
import type { Mount } from './plan.ts'

export type BwrapCall = {
  readonly program: string
  /** Where the command starts. */
  readonly cwd: string
  readonly mounts: readonly Mount[]
  readonly network: boolean
  /** The program knows `--disable-userns`. */
  readonly disablesUserNamespaces: boolean
  /** The descriptor a filter for system calls is read from. */
  readonly seccomp?: number
  /** The descriptor the mounts are read from, where they hold a name that is no text. */
  readonly mountsFrom?: number
}

/** For `mountsFrom`; nothing where the mounts can be written as words. */
export function mountBytes(mounts: readonly Mount[]): Buffer | undefined {
  const words = mounts.flatMap(toWords)
  if (!words.some(isRawName)) return undefined
  return Buffer.concat(words.flatMap((word) => [toRawBytes(word), Buffer.from([0])]))
}

export function bwrapArgv(call: BwrapCall, argv: readonly string[]): readonly string[] {
  const namespaces = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
  ]
  const rights = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL']
  return [
    call.program,
    ...namespaces,
    ...(call.disablesUserNamespaces ? ['--disable-userns'] : []),
    ...(call.network ? [] : ['--unshare-net']),
    ...rights,
    ...(call.seccomp === undefined ? [] : ['--seccomp', String(call.seccomp)]),
    ...(call.mountsFrom === undefined ? call.mounts.flatMap(toWords) : ['--args', String(call.mountsFrom)]),
    '--chdir',
    call.cwd,
    '--',
    ...argv,
  ]
}

function toWords({ how, target, source = '' }: Mount): readonly string[] {
  if (how === 'read-only' || how === 'hidden') return ['--ro-bind', source, target]
  if (how === 'writable') return ['--bind', source, target]
  if (how === 'link') return ['--symlink', source, target]
  return [PLAIN[how], target]
}

const PLAIN = { temporary: '--tmpfs', proc: '--proc', dev: '--dev', sealed: '--remount-ro' } as const

export type Confinement = {
  /** Files a process joins its control groups by. */
  readonly joins: readonly string[]
  /** Limits of the shell, where there are no control groups. */
  readonly limits?: { readonly processes: number; readonly dataBytes: number }
  /** The largest file a command may write. */
  readonly fileBytes?: number
  /** The descriptor on which the start is announced and waited for. */
  readonly waitsOn?: number
}

/** The plain shell cannot close descriptors of two digits. */
const HAS_BASH = existsSync('/bin/bash')
const SHELL = HAS_BASH ? '/bin/bash' : '/bin/sh'
const OUT_OF_REACH = HAS_BASH ? '""' : '??*'

/** Limits come first and hold for everything after; where one cannot be set, nothing runs. */
export function confinedArgv(confinement: Confinement, argv: readonly string[]): readonly string[] {
  const { joins } = confinement
  if (joins.length === 0) return argv
  const script =
    'count=$1; shift; while [ "$count" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; count=$((count-1)); done; exec "$@"'
  return ['/bin/sh', '-c', script, 'sh', String(joins.length), ...joins, ...argv]
}

/** Inside the user namespace, where processes are counted apart from those outside. Shells differ in the letter. */
export function limitedArgv(
  { limits, fileBytes, waitsOn }: Confinement,
  argv: readonly string[],
): readonly string[] {
  const steps = [
    'ulimit -c 0',
    ...(fileBytes === undefined ? [] : [`ulimit -f ${Math.floor(fileBytes / 512)}`]),
    ...(limits
      ? [
          `{ ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null || exit 125`,
          `ulimit -d ${Math.floor(limits.dataBytes / 1024)} || exit 125`,
        ]
      : []),
    ...(waitsOn === undefined ? [] : [`echo >&${waitsOn}; read -r go <&${waitsOn} || exit 125; unset go`]),
    // File descriptors of the setup, or inherited from Covey's parent, must not be open in it.
    `for open in /proc/self/fd/*; do open=\${open##*/}; case $open in [0-2]|${OUT_OF_REACH}) ;; *) eval "exec $open<&-" ;; esac; done`,
    'unset open; exec "$@"',
  ]
  return [SHELL, '-c', steps.join('; '), 'sh', ...argv]
}
