/**
 * Bubblewrap on Linux: finds out what this machine lets it do, and covers for each command what must not be seen, changed
 * or made. Its own process namespace is what ends everything a command started, however it tried to get away.
 */
import { chmod, chown, mkdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Blocked } from '../protocol/tool.ts'
import { shortHash } from '../lib/hash.ts'
import { isInside } from '../lib/path.ts'
import { bwrapArgv, type BwrapPlan, confinedArgv, type Cover, limitedArgv } from './bwrap.ts'
import { type CgroupPlace, createCgroup, findCgroupPlaces } from './cgroup.ts'
import { ownPackages } from './own-packages.ts'
import { findOutsideSecrets, findProtectedPaths, kindOf, type ProtectedPaths } from './protected-paths.ts'
import { type Sandbox, type SandboxGround, tryProgram } from './sandbox-ground.ts'
import { createSharedNetwork } from './shared-network.ts'
import { findSockets } from './sockets.ts'
import { createStubs } from './stubs.ts'

/** How the number of processes is limited here. */
type Limiting =
  | { readonly by: 'cgroup'; readonly places: readonly CgroupPlace[] }
  | { readonly by: 'shell'; readonly as?: readonly string[] }
  | { readonly by: 'nothing' }

export type Probe =
  | { readonly ok: true; readonly limiting: Limiting; readonly disablesUserNamespaces: boolean }
  | { readonly ok: false; readonly why: string }

export async function probeBubblewrap(ground: SandboxGround): Promise<Probe> {
  const { program, roots } = ground
  const help = await tryProgram([program, '--help'])
  const disablesUserNamespaces = help.output.includes('--disable-userns')
  const plan = { ...emptyPlan(ground), disablesUserNamespaces, writable: roots }
  const ran = await tryProgram(bwrapArgv(plan, ['/bin/sh', '-c', 'exit 0']))
  if (!ran.ok) return { ok: false, why: explain(ran.output) }
  return { ok: true, limiting: await findLimiting(ground), disablesUserNamespaces }
}

const explain = (output: string): string =>
  /uid map|user namespace|Operation not permitted|Permission denied/i.test(output)
    ? `${output} (this system does not let users make namespaces; see kernel.apparmor_restrict_unprivileged_userns, or the options of the container)`
    : output

async function findLimiting({ limits, roots, folder, findProgram }: SandboxGround): Promise<Limiting> {
  const places = await findCgroupPlaces(limits)
  if (places.length > 0) return { by: 'cgroup', places }
  if (process.getuid?.() !== 0) return { by: 'shell' }
  // The shell's limit does not bind root, but it binds the owner of the workspace.
  const { uid, gid } = await stat(roots[0] ?? '/')
  const setpriv = uid === 0 ? undefined : await findProgram('setpriv')
  if (setpriv === undefined) return { by: 'nothing' }
  await chmod(folder, 0o711)
  // Made anew: the probe has put folders of root into it.
  const temporary = join(folder, 'tmp')
  await rm(temporary, { recursive: true })
  await mkdir(temporary)
  await chown(temporary, uid, gid)
  return { by: 'shell', as: [setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] }
}

const emptyPlan = ({ program, roots, folder, network }: SandboxGround): BwrapPlan => ({
  program,
  cwd: roots[0] ?? '/',
  writable: [],
  temporary: join(folder, 'tmp'),
  outside: [],
  pinned: [],
  inside: [],
  network,
  disablesUserNamespaces: false,
})

export async function createBubblewrap(ground: SandboxGround, probe: Probe & { ok: true }): Promise<Sandbox> {
  const stubs = createStubs()
  const nsenter = await ground.findProgram('nsenter')
  const shared = createSharedNetwork({ bwrap: ground.program, nsenter })
  const secrets = [...(await findOutsideSecrets(ground.home)), ...ground.hidden]
  const first = await Promise.all(ground.roots.map(findProtectedPaths))
  const { limiting } = probe

  return {
    name: 'bubblewrap',
    network: ground.network,
    warnings: [
      ...(limiting.by === 'nothing' ? ['Nothing limits how many processes a command starts.'] : []),
      ...(first.some(({ isPartial }) => isPartial)
        ? ['There are too many files here to find every protected one.']
        : []),
    ],
    async enter(argv, { grant, readsOnly = false } = {}) {
      const readOnly = ground.readOnly || readsOnly
      const paths = await Promise.all(ground.roots.map(findProtectedPaths))
      const isOpen = ground.network || grant?.kind === 'network'
      // Another user could not enter what belongs to this one.
      const canShare = !isOpen && !(limiting.by === 'shell' && limiting.as)
      const entrance = canShare ? await shared.prefix() : undefined
      const plan: BwrapPlan = {
        ...emptyPlan(ground),
        disablesUserNamespaces: probe.disablesUserNamespaces,
        network: entrance !== undefined || isOpen,
        ...(await covers({ ...ground, readOnly }, { paths, secrets, grant })),
      }
      const group = limiting.by === 'cgroup' ? await createCgroup(limiting.places, ground.limits) : undefined
      const release = stubs.hold(readOnly ? [] : paths.flatMap(missingOf))
      const leave = async (): Promise<void> => {
        await Promise.all([group?.remove(), release(), removeRedirections(paths)])
      }
      return {
        argv: fullArgv(plan, argv, { ground, limiting, joins: group?.joins ?? [], entrance: entrance ?? [] }),
        env: ENVIRONMENT,
        leave,
      }
    },
    standIns: stubs.list,
    async close() {
      shared.close()
      await rm(ground.folder, { recursive: true, force: true })
    },
  }
}

const missingOf = ({ missingFiles, missingFolders }: ProtectedPaths): readonly string[] => [
  ...missingFiles,
  ...missingFolders,
]

/** Programs that keep caches in the home folder, and doors to programs outside. */
const ENVIRONMENT = {
  TMPDIR: '/tmp',
  GOCACHE: '/tmp/go-build',
  npm_config_cache: '/tmp/npm',
  // Without a network trying again only makes everyone wait.
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
  SSH_AUTH_SOCK: undefined,
  SSH_AGENT_PID: undefined,
  GPG_AGENT_INFO: undefined,
  DBUS_SESSION_BUS_ADDRESS: undefined,
  XDG_RUNTIME_DIR: undefined,
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
}

type Surroundings = {
  readonly ground: SandboxGround
  readonly limiting: Limiting
  readonly joins: readonly string[]
  readonly entrance: readonly string[]
}

function fullArgv(
  plan: BwrapPlan,
  argv: readonly string[],
  { ground, limiting, joins, entrance }: Surroundings,
): readonly string[] {
  const { processes, memoryBytes } = ground.limits
  const limits = limiting.by === 'shell' ? { limits: { processes, dataBytes: memoryBytes } } : {}
  const inner = bwrapArgv(plan, limitedArgv({ joins, ...limits }, argv))
  const as = limiting.by === 'shell' ? (limiting.as ?? []) : []
  return confinedArgv({ joins }, [...as, ...entrance, ...inner])
}

type Found = {
  readonly paths: readonly ProtectedPaths[]
  readonly secrets: readonly string[]
  readonly grant: Blocked | undefined
}

type Covers = Pick<BwrapPlan, 'writable' | 'outside' | 'pinned' | 'inside'>

async function covers(ground: SandboxGround, { paths, secrets, grant }: Found): Promise<Covers> {
  const { roots, folder, readOnly } = ground
  const granted = grant?.kind === 'write' ? grant.path : undefined
  const isInRoots = (path: string): boolean => roots.some((root) => isInside(root, path))
  const holdsRoot = (path: string): boolean => roots.some((root) => isInside(path, root))
  const known = [...secrets.filter((path) => !holdsRoot(path)), ...paths.flatMap(({ secret }) => secret)]
  const tracked = await findTracked(paths)
  const unseen = (
    await Promise.all([...new Set(known)].map((path) => hidden(path, { folder, tracked })))
  ).flat()
  const doors = (await findSockets()).filter((path) => !isInside('/tmp', path) || isInRoots(path))
  const all = withoutBuried([
    ...unseen,
    ...(readOnly ? [] : await unchangeable(paths, { folder, granted })),
    ...doors.map((path) => ({ path, by: '/dev/null' })),
  ])
  return {
    writable: [...(readOnly ? [] : roots), ...(granted === undefined || isInRoots(granted) ? [] : [granted])],
    outside: [
      // Behind the private /tmp they would be out of sight.
      ...ownPackages()
        .filter((path) => isInside('/tmp', path) && !isInRoots(path))
        .map(asItIs),
      ...all.filter(({ path }) => !isInRoots(path)),
      ...(readOnly ? roots.map(asItIs) : []),
    ],
    pinned: readOnly ? [] : paths.flatMap(({ pinned }) => pinned),
    inside: all.filter(({ path }) => isInRoots(path)),
  }
}

const asItIs = (path: string): Cover => ({ path, by: path })

type Opening = { readonly folder: string; readonly granted: string | undefined }

/** What exists stays as it is, what does not exist is not made, except what the person agreed to. */
async function unchangeable(
  paths: readonly ProtectedPaths[],
  { folder, granted }: Opening,
): Promise<readonly Cover[]> {
  const closed = paths.flatMap(({ governance, missingFiles, missingFolders }) => [
    ...governance.map(asItIs),
    ...missingFiles.map((path) => ({ path, by: join(folder, 'empty') })),
    ...missingFolders.map((path) => ({ path, by: join(folder, 'nothing') })),
  ])
  const isOpen = (path: string): boolean => granted !== undefined && isInside(path, granted)
  return [...closed, ...(await excludes(paths, folder))].filter(({ path }) => !isOpen(path))
}

/** In a folder that is hidden nothing is left to cover, nor any place to do it. */
function withoutBuried(all: readonly Cover[]): readonly Cover[] {
  const folders = all.filter(({ by }) => basename(by) === 'nothing')
  return all.filter(
    ({ path }) => !folders.some((folder) => folder.path !== path && isInside(folder.path, path)),
  )
}

type Hiding = { readonly folder: string; readonly tracked: ReadonlySet<string> }

/** Git must not take the stand-in of a file it knows for a change of it: that one cannot be opened at all. */
async function hidden(path: string, { folder, tracked }: Hiding): Promise<readonly Cover[]> {
  const kind = await kindOf(path)
  if (kind === 'folder') return [{ path, by: join(folder, 'nothing') }]
  if (kind !== 'file') return []
  return [{ path, by: tracked.has(path) ? '/dev/null' : join(folder, 'hidden') }]
}

/** Secret files that some repository knows: its index holds their names. */
async function findTracked(paths: readonly ProtectedPaths[]): Promise<ReadonlySet<string>> {
  const repositories = paths.flatMap((each) => (each.secret.length > 0 ? each.repositories : []))
  const secrets = paths.flatMap(({ secret }) => secret)
  const found = repositories.map(async (repository) => {
    const index = await readFile(join(repository, 'index')).catch(() => Buffer.alloc(0))
    return secrets.filter((path) => index.includes(`${relative(dirname(repository), path)}\0`))
  })
  return new Set((await Promise.all(found)).flat())
}

/** Stand-ins would be news to git, and soon part of a commit; it is told to overlook them. */
async function excludes(paths: readonly ProtectedPaths[], folder: string): Promise<readonly Cover[]> {
  const all = paths.flatMap(({ repositories, secret, missingFiles }) =>
    repositories.map(async (repository) => {
      const path = join(repository, 'info', 'exclude')
      const root = dirname(repository)
      const names = [...secret, ...missingFiles].filter((file) => isInside(root, file))
      if (names.length === 0 || (await kindOf(path)) !== 'file') return []
      const patterns = names.map((file) => `/${relative(root, file).replaceAll(/[\\*?[\]#! ]/g, '\\$&')}`)
      const text = `${await readFile(path, 'utf8')}\n${patterns.join('\n')}\n`
      const by = join(folder, `exclude-${shortHash(text)}`)
      await writeFile(by, text, { mode: 0o444, flag: 'wx' }).catch(() => undefined)
      return [{ path, by }]
    }),
  )
  return (await Promise.all(all)).flat()
}

/** Files of these names give git another configuration. Nobody makes one in a plain repository with good intentions. */
async function removeRedirections(paths: readonly ProtectedPaths[]): Promise<void> {
  const made = paths.flatMap(({ repositories, governance }) =>
    repositories
      .flatMap((path) => [join(path, 'commondir'), join(path, 'config.worktree')])
      .filter((path) => !governance.includes(path)),
  )
  await Promise.all(made.map((path) => unlink(path).catch(() => undefined)))
}
