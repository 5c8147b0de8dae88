/**
 * The same plan for macOS, as a profile for `sandbox-exec`. Nothing can be mounted there, so what a mount would show is
 * allowed and what it would not is denied, in the same order: of several rules the last one that fits counts. There are
 * no namespaces either: a process that leaves its group outlives the command.
 */
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { sandboxEnvironment } from './environment.ts'
import { closedFolders, type Facts } from './facts.ts'
import type { Sandbox, SandboxContext, Terms } from './context.ts'
import { type Mount, planMounts } from './plan.ts'
import { storesFor } from './planner.ts'

export async function createSeatbelt(context: SandboxContext): Promise<Sandbox> {
  const { program, folder, facts, tree, network, host } = context
  if (!host) await furnishHome(facts)
  const plan = async (wanted: Terms): Promise<readonly Mount[]> => {
    const { grant, readsOnly = false } = wanted
    const granted = grant?.kind === 'write' ? grant.path : undefined
    const state = await tree.refresh()
    const stores = context.hidesHistory ? storesFor(wanted, state) : {}
    const terms = { readsOnly: context.readOnly || readsOnly, host, ...stores }
    return planMounts(facts, state, { ...terms, ...(granted !== undefined && { granted }) }).mounts
  }
  const first = await tree.refresh()
  return {
    name: 'seatbelt',
    network,
    closed: closedFolders(facts),
    tree,
    warnings: [
      'A command that leaves its process group is not ended with it.',
      ...(first.complete ? [] : ['The project has too many files to look at, so commands can only read it.']),
    ],
    describe: (terms = {}) => plan(terms),
    async enter(argv, terms = {}) {
      const readsOnly = context.readOnly || (terms.readsOnly ?? false)
      const profile = seatbeltProfile({
        home: facts.home,
        folder,
        mounts: await plan(terms),
        network: network || terms.grant?.kind === 'network',
      })
      const { env, ...rest } = sandboxEnvironment(facts, {
        readsOnly,
        host,
        git: {},
        tmp: join(folder, 'tmp'),
      })
      return {
        argv: [program, '-p', profile, ...argv],
        env: { ...env, HOME: join(folder, 'home') },
        ...rest,
        leave: async () => {},
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A home of our own in which the toolchains seem to lie where programs look for them. */
async function furnishHome({ folder, home, readable }: Facts): Promise<void> {
  const own = join(folder, 'home')
  await mkdir(own, { recursive: true })
  await copyFile(join(folder, 'gitconfig'), join(own, '.gitconfig'))
  for (const { source, target } of readable.filter((bound) => isInside(home, bound.target))) {
    const link = join(own, relative(home, target))
    await mkdir(dirname(link), { recursive: true })
    await symlink(source, link).catch(() => undefined)
  }
}

export type SeatbeltPlan = {
  readonly home: string
  readonly folder: string
  readonly mounts: readonly Mount[]
  readonly network: boolean
}

/** Where people, their disks and the doors of other programs are. */
const CLOSED = [
  '/Users',
  '/Volumes',
  '/private/var/root',
  '/private/var/folders',
  '/private/tmp',
  '/private/var/run',
]

export function seatbeltProfile({ home, folder, mounts, network }: SeatbeltPlan): string {
  const shown = mounts.filter(
    ({ how, source, target }) => source !== undefined && how !== 'link' && !SYSTEM.test(target),
  )
  const open = shown.filter(({ how }) => how !== 'hidden')
  return [
    '(version 1)',
    '(allow default)',
    ...(network ? [] : ['(deny network*)', '(allow network* (local ip "localhost:*"))']),
    '(deny file-write*)',
    rule('deny file-read* file-write*', [...new Set([home, ...CLOSED])]),
    `(allow file-read-metadata ${ancestors(open).map(literal).join(' ')})`,
    rule('allow file-read* file-write*', [join(folder, 'tmp')]),
    rule('allow file-read*', [join(folder, 'home')]),
    ...shown.map(({ how, source = '', target }) => {
      if (how === 'hidden') return rule('deny file-read* file-write*', [target])
      const path = isInside(folder, source) ? '' : source
      if (path === '') return ''
      return how === 'writable'
        ? rule('allow file-read* file-write*', [path])
        : `${rule('allow file-read*', [path])}\n${rule('deny file-write*', [path])}`
    }),
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    // Programs that would act for us outside.
    '(deny mach-lookup (global-name "com.apple.coreservices.launchservicesd"))',
    '(deny process-exec (literal "/usr/bin/osascript") (literal "/usr/bin/open"))',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

/** What Linux mounts of the system; on macOS it is open to be read as it is. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib\w*|etc|opt|nix|gnu|snap|sys|proc|dev|tmp|var\/tmp|run)(?:\/|$)/

/** Programs look at every folder on their way. */
function ancestors(mounts: readonly Mount[]): readonly string[] {
  const found = new Set<string>(['/'])
  for (const { source = '/' } of mounts)
    for (let above = dirname(source); above !== dirname(above); above = dirname(above)) found.add(above)
  return [...found].toSorted()
}

const rule = (head: string, paths: readonly string[]): string =>
  paths.length === 0 ? '' : `(${head} ${paths.map((path) => `(subpath ${quote(path)})`).join(' ')})`

const literal = (path: string): string => `(literal ${quote(path)})`

/** A quote or backslash in a path must not end the quoted text. */
const quote = (path: string): string => `"${path.replaceAll(/["\\]/g, '\\$&')}"`
