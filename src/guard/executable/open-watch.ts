/**
 * Opens the comparison for one project: finds the repositories git uses for it and the settings that hold everywhere.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { readRegularSync } from '../../lib/read-regular.ts'
import { createExec } from '../exec.ts'
import { gatherGit } from '../sandbox/git-facts.ts'
import type { Sandbox } from '../sandbox/context.ts'
import { createTree } from '../sandbox/tree.ts'
import type { OpenProgram } from './objects.ts'
import { isInteresting } from './snapshot.ts'
import { createWatch, type Watch } from './watch.ts'

export type OpenWatchParts = {
  readonly root: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its tree reports what `isInteresting` names. Absent = git runs with every helper switched off. */
  readonly sandbox?: Sandbox
  /** Absent = withheld files are not kept. */
  readonly store?: string
}

export function openWatch({ root: given, home, env, sandbox, store }: OpenWatchParts): Watch {
  const root = realpathSync(given)
  return createWatch({
    // That of the sandbox is the same, and looked at anyway.
    tree: sandbox?.tree ?? createTree({ root, interesting: isInteresting }),
    place: { root, repositories: outerRepositories(root, home), settings: personalSettings(home, env) },
    open: gitOpener({ root, env, ...(sandbox && { sandbox }) }),
    ...(store !== undefined && { store }),
  })
}

/** The repository the project lies in, and for a linked worktree or a submodule the one that keeps its history. */
function outerRepositories(root: string, home: string): readonly string[] {
  const git = gatherGit(root, home)
  if (git?.elsewhere) return [git.elsewhere.folder]
  return git && git.root !== root ? [join(git.root, '.git')] : []
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
  return (argv) => exec.open(argv, { readsOnly: true, showsHistory: true })
}
