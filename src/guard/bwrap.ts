/** The words bubblewrap is called with. Pure: a plan in, arguments out; later ones cover earlier ones. */

/** A path inside the sandbox and what stands there instead. */
export type Cover = { readonly path: string; readonly by: string }

export type BwrapPlan = {
  readonly program: string
  /** Where the command starts. */
  readonly cwd: string
  /** Folders that may be written. */
  readonly writable: readonly string[]
  /** The folder that is /tmp in there. */
  readonly temporary: string
  readonly outside: readonly Cover[]
  /** Mount points of their own, so that they cannot be moved away. */
  readonly pinned: readonly string[]
  readonly inside: readonly Cover[]
  readonly network: boolean
  /** The program knows `--disable-userns`. */
  readonly disablesUserNamespaces: boolean
}

export function bwrapArgv(plan: BwrapPlan, argv: readonly string[]): readonly string[] {
  const namespaces = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
  ]
  const rights = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL']
  const ground = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
  return [
    plan.program,
    ...namespaces,
    ...(plan.disablesUserNamespaces ? ['--disable-userns'] : []),
    ...(plan.network ? [] : ['--unshare-net']),
    ...rights,
    ...ground,
    ...readWrite({ path: '/tmp', by: plan.temporary }),
    ...plan.outside.flatMap(readOnly),
    ...[...plan.writable, ...plan.pinned].flatMap((path) => readWrite({ path, by: path })),
    ...plan.inside.flatMap(readOnly),
    '--chdir',
    plan.cwd,
    '--',
    ...argv,
  ]
}

const readWrite = ({ path, by }: Cover): readonly string[] => ['--bind', by, path]
const readOnly = ({ path, by }: Cover): readonly string[] => ['--ro-bind', by, path]

export type Confinement = {
  /** Files a process joins its control groups by. */
  readonly joins: readonly string[]
  /** Limits of the shell, where there are no control groups. */
  readonly limits?: { readonly processes: number; readonly dataBytes: number }
}

/** Limits come first and hold for everything after; where one cannot be set, nothing runs. */
export function confinedArgv(confinement: Confinement, argv: readonly string[]): readonly string[] {
  const { joins } = confinement
  if (joins.length === 0) return argv
  const script =
    'count=$1; shift; while [ "$count" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; count=$((count-1)); done; exec "$@"'
  return ['/bin/sh', '-c', script, 'sh', String(joins.length), ...joins, ...argv]
}

/** Inside the user namespace, where processes are counted apart from those outside. Shells differ in the letter. */
export function limitedArgv({ limits }: Confinement, argv: readonly string[]): readonly string[] {
  const count = limits
    ? `{ ulimit -u ${limits.processes} || ulimit -p ${limits.processes}; } 2>/dev/null && ulimit -d ${Math.floor(limits.dataBytes / 1024)} && `
    : ''
  return ['/bin/sh', '-c', `ulimit -c 0; ${count}exec "$@"`, 'sh', ...argv]
}
