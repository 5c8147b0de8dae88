/**
 * The protected paths a sandbox must know by name: those that exist in the workspace and the home folder, and those that
 * do not exist yet but would decide what runs later. Only reads; what becomes of them is the sandbox's business.
 */
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isInside } from '../lib/path.ts'
import { protectionOf } from './protected-names.ts'

export type ProtectedPaths = {
  /** Exist, and are not to be seen. */
  readonly secret: readonly string[]
  /** Exist, and are not to be changed. */
  readonly governance: readonly string[]
  /** Do not exist, and are not to be made. */
  readonly missingFiles: readonly string[]
  readonly missingFolders: readonly string[]
  /** The folders git keeps repositories in, those of submodules included. */
  readonly repositories: readonly string[]
  /** Folders that stay where they are: renaming one would take its protected parts along and make room for others. */
  readonly pinned: readonly string[]
  /** There were too many files to look at them all. */
  readonly isPartial: boolean
}

/** At the top of a workspace somebody obeys these without being asked. */
const NEVER_MADE = {
  folders: ['.git', '.vscode', '.idea', '.husky', '.covey', '.claude', '.cursor'],
  files:
    `.env .envrc .npmrc .mcp.json .gitmodules .ripgreprc AGENTS.md CLAUDE.md .bashrc .bash_profile .profile .zshrc`.split(
      ' ',
    ),
}

const MAX_ENTRIES = 20_000
const MAX_DEPTH = 8
/** Other people's code: large, and its keys are examples. */
const SKIPPED = new Set([
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  'target',
  '.tox',
  '.cache',
  'vendor',
])

type Walk = {
  readonly root: string
  /** Stand-ins for what is not there. */
  readonly absent: ReadonlySet<string>
  readonly secret: string[]
  readonly governance: string[]
  readonly repositories: string[]
  readonly pinned: string[]
  entries: number
}

export async function findProtectedPaths(root: string): Promise<ProtectedPaths> {
  const missingFiles = await absentOf(NEVER_MADE.files.map((name) => join(root, name)))
  const missingFolders = await absentOf(NEVER_MADE.folders.map((name) => join(root, name)))
  const absent = new Set([...missingFiles, ...missingFolders])
  const lists = { secret: [], governance: [], repositories: [], pinned: [] }
  const walk: Walk = { root, absent, ...lists, entries: 0 }
  await visit(root, walk, 0)
  const { secret, governance, repositories, pinned } = walk
  const hooks = await absentOf(repositories.map((path) => join(path, 'hooks')))
  return {
    secret,
    governance,
    repositories,
    pinned,
    missingFiles,
    missingFolders: [...missingFolders, ...hooks],
    isPartial: walk.entries > MAX_ENTRIES,
  }
}

async function absentOf(paths: readonly string[]): Promise<readonly string[]> {
  const stands = await Promise.all(
    paths.map(async (path) => (await kindOf(path)) !== undefined && !(await isStub(path))),
  )
  return paths.filter((_, index) => !stands[index])
}

async function visit(folder: string, walk: Walk, depth: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (++walk.entries > MAX_ENTRIES) return
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    if (walk.absent.has(path)) continue
    if (entry.name === '.git' && isFolder) await takeRepository(path, walk)
    else if (await take(path, walk)) continue
    else if (isFolder && depth < MAX_DEPTH && !SKIPPED.has(entry.name)) await visit(path, walk, depth + 1)
  }
}

/** The root's own name is not judged, nor what stands above it. */
async function take(path: string, walk: Walk): Promise<boolean> {
  const protection = protectionOf(relative(walk.root, path))
  if (protection === undefined) return false
  const isLink = (await kindOf(path)) === 'link'
  // A link cannot be covered, but what it leads to can.
  const place = isLink ? await realpath(path).catch(() => undefined) : path
  if (place === undefined || isInside(place, walk.root)) return true
  if (protection === 'secret') walk.secret.push(place)
  else {
    walk.governance.push(place)
    const folder = dirname(path)
    if (basename(folder) === '.github' && !walk.pinned.includes(folder)) walk.pinned.push(folder)
  }
  return true
}

/** Commits must go on working: of a repository only what makes git run something is closed. */
async function takeRepository(path: string, walk: Walk): Promise<void> {
  walk.repositories.push(path)
  walk.pinned.push(path)
  for (const name of ['config', 'config.worktree', 'commondir', 'hooks']) {
    if ((await kindOf(join(path, name))) !== undefined) walk.governance.push(join(path, name))
  }
  await takeSubmodules(join(path, 'modules'), walk, 0)
}

/** A submodule's name may hold slashes: its repository is the folder with a configuration, which no command can remove. */
async function takeSubmodules(folder: string, walk: Walk, depth: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  if (entries.length > 0) walk.pinned.push(folder)
  for (const entry of entries) {
    if (++walk.entries > MAX_ENTRIES) return
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) continue
    if ((await kindOf(join(path, 'config'))) !== undefined) await takeRepository(path, walk)
    else if (depth < MAX_DEPTH) await takeSubmodules(path, walk, depth + 1)
  }
}

/** What a sandbox leaves behind: an empty file with the mode bubblewrap gives it, or an empty folder. */
export async function isStub(path: string): Promise<boolean> {
  const info = await lstat(path).catch(() => undefined)
  if (info?.isDirectory()) return (await readdir(path).catch(() => ['unreadable'])).length === 0
  return info !== undefined && info.isFile() && info.size === 0 && (info.mode & 0o777) === 0o444
}

export async function kindOf(path: string): Promise<'file' | 'folder' | 'link' | 'other' | undefined> {
  const info = await lstat(path).catch(() => undefined)
  if (!info) return undefined
  if (info.isSymbolicLink()) return 'link'
  return info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'other'
}

const HOME_SECRETS =
  `.ssh .gnupg .aws .azure .gcloud .kube .password-store .docker/config.json .config/gh .config/gcloud
  .config/op .config/covey .netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .config/git/credentials .vault-token
  .cargo/credentials .cargo/credentials.toml .gem/credentials .local/share/keyrings .local/share/covey .mozilla
  .config/google-chrome .config/chromium .thunderbird .bash_history .zsh_history .python_history .node_repl_history
  .psql_history .mysql_history .config/fish/fish_variables`.split(/\s+/)

const SYSTEM_SECRETS = `/etc/shadow /etc/gshadow /etc/sudoers /etc/security/opasswd /etc/ssh/ssh_host_rsa_key
  /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /run/user /run/secrets /run/credentials`.split(
  /\s+/,
)

/** What exists outside the workspace that no command has any business with. */
export async function findOutsideSecrets(home: string): Promise<readonly string[]> {
  const paths = [...HOME_SECRETS.map((name) => join(home, name)), ...SYSTEM_SECRETS]
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)))
  return [...new Set(real.filter((path) => path !== undefined))]
}
