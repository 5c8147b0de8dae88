/** Opens the comparison for one project: finds the repositories git uses for it and the settings that hold everywhere. */
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readRegularSync } from '../../lib/read-regular.ts'
import { createExec } from '../exec.ts'
import type { Sandbox } from '../sandbox/ground.ts'
import { createTree } from '../sandbox/tree.ts'
import { lookAt } from './item.ts'
import type { OpenProgram } from './objects.ts'
import { isInteresting } from './snapshot.ts'
import { createWatch, type Watch } from './watch.ts'

export type OpenWatchParts = {
  readonly root: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its tree reports what `isInteresting` names. Absent = git runs with every helper switched off. */
  readonly sandbox?: Sandbox
  /** Absent = what is set aside is not kept. */
  readonly store?: string
}

export function openWatch({ root: given, home, env, sandbox, store }: OpenWatchParts): Watch {
  const root = realpathSync(given)
  return createWatch({
    // That of the sandbox is the same, and looked at anyway.
    tree: sandbox?.tree ?? createTree({ root, interesting: isInteresting }),
    place: { root, repositories: outerRepositories(root), settings: personalSettings(home, env) },
    open: gitOpener({ root, env, ...(sandbox && { sandbox }) }),
    ...(store !== undefined && { store }),
  })
}

/** The repository the project lies in, and for a linked worktree the one it belongs to. */
function outerRepositories(root: string): readonly string[] {
  for (let folder = root; ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git')
    const info = lookAt(dotGit)
    if (info?.isDirectory()) return folder === root ? [] : [dotGit]
    const target = info?.isFile() ? /^gitdir: (.*?)\s*$/s.exec(textOf(dotGit))?.[1] : undefined
    if (target !== undefined) return withCommon(resolve(folder, target))
    if (folder === dirname(folder)) return []
  }
}

function withCommon(repository: string): readonly string[] {
  const common = textOf(join(repository, 'commondir')).trim()
  return common === '' ? [repository] : [repository, resolve(repository, common)]
}

const textOf = (path: string): string => readRegularSync(path, 1024 * 1024)?.bytes.toString('utf8') ?? ''

/** A person's own `core.hooksPath = .githooks` makes git run files of every project. */
function personalSettings(home: string, env: OpenWatchParts['env']): string {
  const folder = env['XDG_CONFIG_HOME'] ?? join(home, '.config')
  return [join(home, '.gitconfig'), join(folder, 'git', 'config')].map(textOf).join('\n')
}

/** Nothing that a repository's configuration names is started, and nothing is fetched. */
const SAFE = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
}

type Opening = Pick<OpenWatchParts, 'root' | 'env' | 'sandbox'>

function gitOpener({ root, env, sandbox }: Opening): OpenProgram {
  const exec = createExec({ cwd: root, env: { ...env, ...SAFE }, ...(sandbox && { sandbox }) })
  return (argv) => exec.open(argv, { readsOnly: true })
}
