/**
 * Bubblewrap on Linux: finds out what this machine lets it do, makes a plan for each command, and has it put up. Its
 * own process namespace is what ends everything a command started, however it tried to get away.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, lstatSync, openSync, statfsSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bwrapArgv, confinedArgv, limitedArgv, mountBytes } from './bwrap.ts'
import { type CgroupPlace, createCgroup, findCgroupPlaces } from './cgroup.ts'
import { openGrant } from './grant.ts'
import { createGitView, type GitView } from './git-view.ts'
import { closedFolders, type Facts } from './facts.ts'
import { type Entered, type Sandbox, type SandboxContext, type Terms, tryProgram } from './context.ts'
import { sandboxEnvironment } from './environment.ts'
import { planMounts } from './plan.ts'
import { createPlanner, type Planned } from './planner.ts'
import { seccompFilter } from './seccomp.ts'
import { createSharedNetwork, type SharedNetwork } from './shared-network.ts'
import { hasAbstractDoors } from './sockets.ts'
import { stampOf } from './tree-folder.ts'
import type { TreeState } from './tree.ts'

/** How the number of processes is limited here. */
type Limiting =
  | { readonly by: 'cgroup'; readonly places: readonly CgroupPlace[] }
  | { readonly by: 'shell'; readonly as?: readonly string[] }
  | { readonly by: 'nothing' }

export type Probe =
  | { readonly ok: true; readonly limiting: Limiting; readonly disablesUserNamespaces: boolean }
  | { readonly ok: false; readonly why: string }

/**
 * Descriptors of the process that is started: the filter for system calls, mounts that are no text; last, the word to
 * go on.
 */
const FILTER = 3
const MOUNTS = 4

/** `help` is what `bwrap --help` answers. */
export async function probeBubblewrap(
  context: SandboxContext,
  help: ReturnType<typeof tryProgram>,
): Promise<Probe> {
  const { program, facts, network } = context
  const disablesUserNamespaces = (await help).output.includes('--disable-userns')
  // The command of the trial reads nothing.
  const { mounts } = planMounts({ ...facts, exposed: () => [] }, EMPTY_TREE, { readsOnly: true, host: true })
  const call = { program, cwd: facts.project, mounts, network, disablesUserNamespaces }
  const ran = await tryProgram(bwrapArgv(call, ['/bin/sh', '-c', 'exit 0']))
  if (!ran.ok) return { ok: false, why: explain(ran.output) }
  return { ok: true, limiting: await findLimiting(context), disablesUserNamespaces }
}

const EMPTY_TREE: TreeState = {
  complete: true,
  entries: [],
  repositories: [],
  denied: [],
  unread: [],
  stampOf: () => undefined,
  folders: () => [],
}

const explain = (output: string): string =>
  /uid map|user namespace|Operation not permitted|Permission denied/i.test(output)
    ? `${output} (this system does not let users make namespaces; see kernel.apparmor_restrict_unprivileged_userns, or the options of the container)`
    : output

async function findLimiting({ limits, facts, folder, findProgram }: SandboxContext): Promise<Limiting> {
  const places = await findCgroupPlaces(limits)
  if (places.length > 0) return { by: 'cgroup', places }
  if (process.getuid?.() !== 0) return { by: 'shell' }
  // The shell's limit does not bind root, but it binds the owner of the workspace.
  const { uid, gid } = await stat(facts.project)
  const setpriv = uid === 0 ? undefined : await findProgram('setpriv')
  if (setpriv === undefined) return { by: 'nothing' }
  await chmod(folder, 0o711)
  // Made anew: the probe has put folders of root into it.
  await rm(join(folder, 'tmp'), { recursive: true })
  await mkdir(join(folder, 'tmp'))
  await chown(join(folder, 'tmp'), uid, gid)
  return { by: 'shell', as: [setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] }
}

export async function createBubblewrap(
  context: SandboxContext,
  probe: Probe & { ok: true },
): Promise<Sandbox> {
  const { facts, tree, folder } = context
  const nsenter = await context.findProgram('nsenter')
  const shared = createSharedNetwork({ bwrap: context.program, nsenter })
  const git = await context.findProgram('git')
  const view = createGitView({ ...facts, ...(git !== undefined && { program: git }) })
  const filters = writeFilters(folder, isShared(facts))
  const first = await tree.refresh()
  const plan = createPlanner(context, view)
  let running = 0
  return {
    name: 'bubblewrap',
    network: context.network,
    closed: closedFolders(facts),
    tree,
    warnings: [
      ...(probe.limiting.by === 'nothing' ? ['Nothing limits how many processes a command starts.'] : []),
      ...(first.complete ? [] : [TOO_MANY]),
      ...(filters ? [] : [`There is no filter for system calls on ${process.arch}.`]),
    ],
    describe: async (terms = {}) => (await plan(terms)).mounts,
    async enter(argv, terms = {}) {
      // Others run beside it: a change in the same tick of the clock as the look would not be noticed.
      if (running > 0) await pause(TICK_MS)
      const grant = openGrant(terms, facts.project)
      const planned = await plan(terms, grant.path)
      const entered = await putUp(argv, planned, { context, probe, shared, filters, view, terms })
      running++
      const leave = (): Promise<void> => {
        running--
        grant.close()
        return entered.leave()
      }
      return { ...entered, leave }
    },
    async close() {
      shared.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Parts = {
  readonly context: SandboxContext
  readonly probe: Probe & { ok: true }
  readonly shared: SharedNetwork
  readonly filters: ReturnType<typeof writeFilters>
  readonly view: GitView
  readonly terms: Terms
}

/** The words that put it up and run a command in it, with its network, its limits and its filter. */
async function putUp(argv: readonly string[], planned: Planned, parts: Parts): Promise<Entered> {
  const { context, probe, shared, filters, view, terms } = parts
  const { facts, limits, folder } = context
  const { limiting, disablesUserNamespaces } = probe
  const isOpen = context.network || terms.grant?.kind === 'network'
  // Another user could not enter what belongs to this one.
  const canShare = !isOpen && !(limiting.by === 'shell' && limiting.as)
  const entrance = (canShare ? await shared.prefix() : undefined) ?? []
  const seccomp = filters && openSync(await filters.pick(isOpen), 'r')
  const bytes = mountBytes(planned.mounts)
  const mountsFrom = bytes && openBytes(join(folder, 'mounts'), bytes)
  const call = {
    program: context.program,
    cwd: facts.project,
    mounts: planned.mounts,
    ...(mountsFrom !== undefined && { mountsFrom: MOUNTS }),
    network: entrance.length > 0 || isOpen,
    disablesUserNamespaces,
    ...(seccomp !== undefined && { seccomp: FILTER }),
  }
  const group = limiting.by === 'cgroup' ? await createCgroup(limiting.places, limits) : undefined
  const { processes, memoryBytes } = limits
  const shellLimits = limiting.by === 'shell' ? { limits: { processes, dataBytes: memoryBytes } } : {}
  const joins = group?.joins ?? []
  const inner = limitedArgv(
    {
      joins,
      ...shellLimits,
      fileBytes: largestFile(folder),
      waitsOn: mountsFrom === undefined ? MOUNTS : MOUNTS + 1,
    },
    argv,
  )
  const as = limiting.by === 'shell' ? (limiting.as ?? []) : []
  return {
    argv: confinedArgv({ joins }, [...as, ...entrance, ...bwrapArgv(call, inner)]),
    ...sandboxEnvironment(facts, {
      readsOnly: planned.readsOnly,
      host: context.host,
      git: view.environment,
      tmp: '/tmp',
    }),
    descriptors: [seccomp ?? 'pipe', ...(mountsFrom === undefined ? [] : [mountsFrom]), 'pipe'],
    isAsPlanned: () => Array.from(planned.watched).every(([path, stamp]) => lookStamp(path) === stamp),
    async leave() {
      for (const each of [seccomp, mountsFrom]) if (each !== undefined) closeSync(each)
      await group?.remove()
    },
  }
}

/** Read by one process alone. */
function openBytes(path: string, bytes: Buffer): number {
  const own = `${path}-${randomUUID()}`
  writeFileSync(own, bytes, { mode: 0o600 })
  const handle = openSync(own, 'r')
  unlinkSync(own)
  return handle
}

const TOO_MANY =
  'The project has more files than could be looked at within 30 seconds, so commands can only read it. Start Covey in a smaller folder.'

/** Longer than the clock of any file system ticks. */
const TICK_MS = 12

function lookStamp(path: string): string | undefined {
  const info = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return info?.isDirectory() ? stampOf(info) : undefined
}

/** Its folders hand their group on; git and chmod set that bit on new ones. */
const isShared = ({ project, git }: Facts): boolean =>
  [project, ...(git ? [join(git.root, '.git')] : [])].some(
    (path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o2000) !== 0,
  )

/** One for a network of its own; with the network of the machine its abstract sockets would come along. */
function writeFilters(folder: string, setgid: boolean) {
  const common = { architecture: process.arch, setgid }
  const usual = seccompFilter({ ...common, unixSockets: true })
  const closed = seccompFilter({ ...common, unixSockets: false })
  if (usual === undefined || closed === undefined) return undefined
  const path = { usual: join(folder, 'filter'), closed: join(folder, 'filter-no-unix') }
  writeFileSync(path.usual, usual, { mode: 0o444 })
  writeFileSync(path.closed, closed, { mode: 0o444 })
  return {
    pick: async (isOpen: boolean) => (isOpen && (await hasAbstractDoors()) ? path.closed : path.usual),
  }
}

/** No single file takes more than half of what is free. */
function largestFile(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return Math.max(1024 ** 3, Math.floor((bavail * bsize) / 2))
}
