/**
 * What a command sees, as a list of mounts in the order they are made. Pure: facts, the state of the tree and the
 * terms of this command in, mounts out. It begins with nothing; what is not named here does not exist in the sandbox.
 * What hides something comes last, so that no bind and no grant can uncover it.
 */
import { dirname, join } from 'node:path'
import { isInside } from '../../lib/path.ts'
import type { SandboxMount } from '../../protocol/guard.ts'
import { protectionOfName } from '../paths/protected-names.ts'
import type { Facts } from './facts.ts'
import type { TreeState } from './tree.ts'

export type Mount = SandboxMount

export type PlanTerms = {
  /** Nothing but private folders can be written. */
  readonly readsOnly: boolean
  /** For others: a home that stays empty. */
  readonly host: boolean
  /** A path outside the project that may be written, or a protected one inside it that may be changed. */
  readonly granted?: string
  /** What secret and governance names that are links lead to, inside the project. */
  readonly aliases?: readonly Alias[]
  /** Stand-ins for hidden files: same size, same time. */
  readonly standIns?: ReadonlyMap<string, string>
  /** Where git keeps contents, which are hidden then; the repositories cannot be changed. */
  readonly stores?: readonly string[]
  /** What else is shown in front of the project. */
  readonly shown?: readonly Mount[]
}

export type Alias = { readonly path: string; readonly kind: 'file' | 'folder'; readonly secret: boolean }

export type Plan = {
  readonly mounts: readonly Mount[]
  /** Folders of the project in which nothing may be renamed until the mounts are made. */
  readonly watched: readonly string[]
}

export function planMounts(facts: Facts, tree: TreeState, terms: PlanTerms): Plan {
  const readOnly = terms.readsOnly || !tree.complete
  const visible = [
    ...systemMounts(facts),
    ...privateMounts(facts),
    ...facts.readable.map(({ source, target }) => readable(source, target, 'toolchains and packages')),
    ...gitConfiguration(facts, terms),
    ...(terms.readsOnly ? [] : facts.writable).map((path) => writable(path, 'your configuration')),
    ...projectMounts(facts, readOnly, terms.stores === undefined),
  ]
  const kept = readOnly ? [] : protectedMounts(facts, tree, terms)
  const grant = grantMounts(facts, [...visible, ...kept], terms)
  const shown = terms.shown ?? []
  const covers = coverMounts(facts, { tree, terms, visible: [...visible, ...grant] })
  const sealed = [
    ...(hasHome(facts) ? [sealedAt(facts.home)] : []),
    { target: '/', how: 'sealed', why: 'nothing else exists' } as const,
  ]
  return {
    mounts: [...visible, ...kept, ...grant, ...shown, ...covers, ...sealed],
    watched: watchedFolders(facts, [...kept, ...covers]),
  }
}

const readable = (source: string, target: string, why: string): Mount => ({
  target,
  how: 'read-only',
  source,
  why,
})
const writable = (path: string, why: string): Mount => ({
  target: path,
  how: 'writable',
  source: path,
  why,
})
/** Files written there would vanish with the command, against expectation. */
const sealedAt = (target: string): Mount => ({ target, how: 'sealed', why: 'nothing is kept here' })

function systemMounts({ system }: Facts): readonly Mount[] {
  return [
    ...system.folders.map((path) => readable(path, path, 'system')),
    ...system.links.map(
      ({ path, to }) => ({ target: path, how: 'link', source: to, why: 'system' }) as const,
    ),
    { target: '/dev', how: 'dev', why: 'system' },
    { target: '/proc', how: 'proc', why: 'system' },
    ...system.frozen.map((path) => readable(path, path, 'the kernel cannot be configured')),
  ]
}

/** A home folder that is the project, or holds it, is not replaced. */
const hasHome = ({ home, project, system }: Facts): boolean =>
  home !== '/' && !isInside(project, home) && !system.folders.some((path) => isInside(path, home))

function privateMounts(facts: Facts): readonly Mount[] {
  const { folder, home } = facts
  const why = 'private to this session'
  return [
    { target: '/tmp', how: 'writable', source: join(folder, 'tmp'), why },
    { target: '/var/tmp', how: 'writable', source: join(folder, 'tmp'), why },
    ...(hasHome(facts) ? [{ target: home, how: 'temporary', why: 'an empty home' } as const] : []),
  ]
}

/** Name and mail, so that a commit says whose it is; the rest of the person's settings may run programs. */
const gitConfiguration = (facts: Facts, { host }: PlanTerms): readonly Mount[] =>
  host || !hasHome(facts)
    ? []
    : [
        readable(join(facts.folder, 'gitconfig'), join(facts.home, '.gitconfig'), 'name and mail for git'),
        readable(join(facts.folder, 'gitignore'), join(facts.home, '.config/git/ignore'), 'what git ignores'),
      ]

function projectMounts({ project, git }: Facts, readOnly: boolean, keepsHistory: boolean): readonly Mount[] {
  const why = readOnly ? 'project, only read' : 'project'
  const around = git && git.root !== project ? [readable(git.root, git.root, 'the repository around it')] : []
  const own: Mount = { target: project, how: readOnly ? 'read-only' : 'writable', source: project, why }
  const history =
    git && git.root !== project && !readOnly && keepsHistory
      ? [writable(join(git.root, '.git'), 'history')]
      : []
  const elsewhere = git?.elsewhere
  return [
    // First: a bare repository may hold its worktrees.
    ...(elsewhere ? [readable(elsewhere.folder, elsewhere.folder, 'history of this worktree')] : []),
    ...around,
    own,
    ...history,
    ...(elsewhere && !readOnly && keepsHistory
      ? elsewhere.writable.map((path) => writable(path, 'history of this worktree'))
      : []),
  ]
}

/** What a program changed there could make git unpack a closed file under another name. */
const HISTORY = 'history, while a rule closes paths'

/** Of a repository, what makes git run something or read another configuration. */
const GIT_GOVERNANCE = new Set(['config', 'config.worktree', 'commondir', 'gitdir', 'hooks', 'info'])

/** What decides what runs later stays as it is; a folder of git stays where it is, or another could take its place. */
function protectedMounts(
  facts: Facts,
  tree: TreeState,
  { granted, aliases = [], stores }: PlanTerms,
): readonly Mount[] {
  const repositories = new Set(tree.repositories)
  const isWritable = writableIn(facts)
  const isGranted = (path: string): boolean => granted !== undefined && isInside(path, granted)
  const pinned = tree.repositories
    .filter((path) => isWritable(path) && (stores !== undefined || isPlain(path, facts)))
    .map((path) => (stores ? readable(path, path, HISTORY) : writable(path, 'a repository stays in place')))
  const held = holdersOf(tree.denied, facts.project).map((path) =>
    writable(path, 'holds what a rule closes, and stays in place'),
  )
  const closed = tree.entries
    .filter(({ path, kind }) => {
      if (kind !== 'file' && kind !== 'folder') return false
      const [name, folder] = [path.slice(path.lastIndexOf('/') + 1), dirname(path)]
      if (repositories.has(folder)) return GIT_GOVERNANCE.has(name)
      if (repositories.has(path)) return false
      return protectionOfName(name, folder.slice(folder.lastIndexOf('/') + 1)) === 'governance'
    })
    .map(({ path }) => path)
  const linked = aliases.filter(({ secret }) => !secret).map(({ path }) => path)
  const kept = [...new Set([...closed, ...linked])].filter((path) => isWritable(path) && !isGranted(path))
  return [
    ...pinned,
    ...held,
    ...kept.map((path) => readable(path, path, 'decides what runs later')),
  ].toSorted(byTarget)
}

/** Folders of the project above a denied path: under another name the rule would not know it. */
function holdersOf(denied: readonly string[], project: string): readonly string[] {
  const holders = new Set<string>()
  for (const path of denied) {
    for (let above = dirname(path); above !== project && isInside(project, above); above = dirname(above))
      holders.add(above)
  }
  return [...holders]
}

/** A bind of a repository made by hand, such as one in a folder of test data, would keep it from being removed. */
const isPlain = (path: string, { project, git }: Facts): boolean =>
  path === join(project, '.git') || path === join(git?.root ?? project, '.git')

const byTarget = (a: Mount, b: Mount): number => (a.target < b.target ? -1 : a.target > b.target ? 1 : 0)

function writableIn({ project, git }: Facts): (path: string) => boolean {
  const history = git && git.root !== project ? [join(git.root, '.git')] : []
  const open = [project, ...history, ...(git?.elsewhere?.writable ?? [])]
  return (path) => open.some((folder) => isInside(folder, path))
}

/** A grant never opens a top-level folder, the home folder or anything that holds the project. */
function grantMounts(facts: Facts, before: readonly Mount[], { granted }: PlanTerms): readonly Mount[] {
  if (granted === undefined || isInside(facts.project, granted)) return []
  const { home, project } = facts
  const isTooWide = isInside(granted, home) || isInside(granted, project) || dirname(granted) === '/'
  const isSpecial = before.some(
    ({ target, how }) => (how === 'proc' || how === 'dev') && isInside(target, granted),
  )
  return isTooWide || granted === '/' || isSpecial
    ? []
    : [writable(granted, 'you allowed it for this command')]
}

type Covering = { readonly tree: TreeState; readonly terms: PlanTerms; readonly visible: readonly Mount[] }

function coverMounts(facts: Facts, { tree, terms, visible }: Covering): readonly Mount[] {
  const { folder, system } = facts
  const nothing = join(folder, 'nothing')
  const folders = new Set<string>()
  const cover = (path: string, isFolder: boolean, why: string): Mount => {
    if (isFolder) folders.add(path)
    const source = terms.standIns?.get(path) ?? (isFolder ? nothing : join(folder, 'hidden'))
    return { target: path, how: 'hidden', source, why }
  }
  const denied = new Set(tree.denied)
  const isShown = (path: string): boolean =>
    visible.some(({ target, how, source }) => how !== 'link' && source === target && isInside(target, path))
  const inTree = tree.entries.flatMap(({ path, kind }) => {
    if (kind === 'link') return []
    if (kind === 'socket' || kind === 'other') return [cover(path, false, 'a door to another program')]
    const [name, above] = [path.slice(path.lastIndexOf('/') + 1), dirname(path)]
    const isSecret = protectionOfName(name, above.slice(above.lastIndexOf('/') + 1)) === 'secret'
    if (!isSecret && !denied.has(path)) return []
    return [cover(path, kind === 'folder', isSecret ? 'may hold secrets' : 'denied by a rule')]
  })
  const linked = (terms.aliases ?? []).filter(({ secret }) => secret)
  const all = [
    ...inTree,
    ...linked.map(({ path, kind }) => cover(path, kind === 'folder', 'may hold secrets')),
    ...(terms.stores ?? []).map((path) => cover(path, true, 'contents that a rule closes')),
    ...tree.unread.map((path) => cover(path, true, 'could not be looked at')),
    ...facts.hidden
      .filter(({ path }) => isShown(path) && !isInside(path, facts.project))
      .map(({ path, kind }) => cover(path, kind === 'folder', 'yours alone')),
    ...facts
      .exposed()
      .filter(({ path }) => !isInside(facts.project, path))
      .map(({ path, kind }) => cover(path, kind === 'folder', 'may hold secrets')),
    ...system.masked.map(({ path, kind }) => ({
      ...cover(path, kind === 'folder', 'of the system, and not for everyone'),
      ...(kind === 'file' && { source: join(folder, 'empty') }),
    })),
  ]
  return withoutBuried(all, folders)
}

/** In a folder that is hidden nothing is left to cover, nor any place to do it. */
function withoutBuried(all: readonly Mount[], folders: ReadonlySet<string>): readonly Mount[] {
  const targets = new Map(all.map((mount) => [mount.target, mount]))
  const isBuried = (path: string): boolean => {
    for (let above = dirname(path); above !== dirname(above); above = dirname(above))
      if (folders.has(above)) return true
    return false
  }
  return [...targets.values()].filter(({ target }) => !isBuried(target)).toSorted(byTarget)
}

/** From the folder of each mount up to the top of the tree. */
function watchedFolders({ project, git }: Facts, mounts: readonly Mount[]): readonly string[] {
  const top = git?.root ?? project
  const folders = new Set<string>()
  for (const { target } of mounts) {
    for (let above = dirname(target); isInside(top, above) && !folders.has(above); above = dirname(above))
      folders.add(above)
  }
  return [...folders]
}
