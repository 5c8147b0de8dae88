/**
 * What a person may be asked to open for a command whose write was refused: exactly the path that the command itself
 * writes, never one that it only prints, and nothing that holds more than that.
 */
import { lstat, mkdir, open, realpath, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import type { Blocked } from '../../protocol/tool.ts'
import { isInside } from '../../lib/path.ts'
import { isKeyPath, protectionOf } from '../paths/protected-names.ts'
import { readScript, type Script } from '../shell/script.ts'
import { type AttemptedWrite, attemptedWrites, filesIn } from './attempted-writes.ts'
import { absolute } from './named-paths.ts'
import { isOwnName, isOwnPath } from './own-paths.ts'

export type GrantContext = {
  readonly cwd: string
  readonly home: string
  /** Covey's own folders and others that no command may see. */
  readonly hidden: readonly string[]
  /** Programs and packages that commands use: nothing in them is opened for writing. */
  readonly closed?: readonly string[]
}

/** `printed` is the path in the error message: it chooses among the paths that the command writes, it adds none. */
export async function grantFor(
  command: string,
  printed: string | undefined,
  context: GrantContext,
): Promise<Blocked> {
  const script = await readScript(command)
  const attempted = printed === undefined ? undefined : await findAttempted(script, printed, context)
  if (attempted === undefined) return { kind: 'outside' }
  const grant = isOpenable(attempted.path, context) ? await exactGrant(attempted, script, context) : undefined
  return grant ?? { kind: 'outside', path: attempted.path }
}

type Attempted = Pick<AttemptedWrite, 'path' | 'makes'>

async function findAttempted(
  script: Script,
  printed: string,
  context: GrantContext,
): Promise<Attempted | undefined> {
  const named = await attemptedWrites(script, context)
  const implied = impliedPaths(script, context).map((path) => ({ path }))
  const candidates: readonly Attempted[] = [...named, ...(await insideFolders(named)), ...implied]
  const place = absolute(printed, context.cwd, context)
  if (!isAbsolute(printed)) {
    // With more than one folder the meant one is unknown.
    const ending = `${sep}${normalize(printed)}`
    const found = candidates.filter(({ path }) => path.endsWith(ending))
    return new Set(found.map(({ path }) => path)).size === 1 ? found[0] : undefined
  }
  const exact = candidates.find(({ path }) => path === place)
  if (exact) return exact
  // `git init` fails at the first file of the repository.
  const holder = implied.find(({ path }) => isInside(path, place))
  if (holder) return holder
  // `mkdir -p a/b/c` fails at the first folder that is missing.
  const isMade = candidates.some(({ path, makes }) => makes === 'folder' && isInside(place, path))
  return isMade && !(await exists(place)) ? { path: place, makes: 'folder' } : undefined
}

/** `cp a.txt folder` writes `folder/a.txt`. */
async function insideFolders(named: readonly AttemptedWrite[]): Promise<readonly Attempted[]> {
  const kinds = await Promise.all(named.map(({ path }) => stat(path).catch(() => undefined)))
  const folders = named.filter((_, index) => kinds[index]?.isDirectory())
  return folders.flatMap((folder) => filesIn(folder).map((path) => ({ path })))
}

/** Git writes its configuration, and makes its repository, without being told where. */
function impliedPaths({ parts }: Script, { cwd }: GrantContext): readonly string[] {
  const git = parts.filter(({ words }) => words[0]?.text === 'git')
  const does = (actions: RegExp): boolean =>
    git.some(({ words }) => words.some(({ text }) => actions.test(text)))
  return [
    ...(does(CONFIGURES) ? [join(cwd, '.git/config')] : []),
    ...(does(/^init$/) ? [join(cwd, '.git')] : []),
  ]
}

const CONFIGURES = /^(?:config|remote|branch|submodule|switch|checkout|worktree|sparse-checkout|push|clone)$/

/**
 * Inside the project what decides what runs later may be opened: it is compared around the command. Outside
 * there is no comparison, so configuration (every name with a dot in front), programs and the system stay closed.
 */
function isOpenable(path: string, { cwd, home, hidden, closed = [] }: GrantContext): boolean {
  if (protectionOf(path) === 'secret' || isKeyPath(path) || isOwnPath(path, hidden)) return false
  if (isInside(cwd, path)) return path !== cwd && !isOwnName(path.slice(cwd.length))
  const isTop = dirname(dirname(path)) === dirname(path)
  const holds = [home, cwd, ...hidden].some((inner) => isInside(path, inner))
  const isConfiguration = protectionOf(path) !== undefined || path.includes(`${sep}.`) || RUNS.test(path)
  const system = SYSTEM.filter((folder) => !isInside(folder, home))
  const isClosed = [...system, ...closed].some((folder) => isInside(folder, path))
  return !isTop && !holds && !isConfiguration && !isClosed
}

/** Folders whose files are started by their name, or with the desktop. */
const RUNS = /[\\/](?:s?bin|libexec|autostart|startup|launchagents|launchdaemons)(?:[\\/]|$)/i

const SYSTEM = `/proc /sys /dev /run /boot /etc /usr /bin /sbin /lib /opt /root /var/lib /var/spool /var/run
  /Library /System /private/etc`.split(/\s+/)

/** A file with one name, or one or a folder that does not exist yet; never what a link leads to. */
async function exactGrant(
  { path, makes }: Attempted,
  script: Script,
  { cwd }: GrantContext,
): Promise<Blocked | undefined> {
  const info = await lstat(path).catch(() => undefined)
  const parent = await realpath(dirname(path)).catch(() => undefined)
  if (parent !== dirname(path) || info?.isSymbolicLink()) return undefined
  if (isInside(cwd, path)) return { kind: 'write', path }
  if (info) return info.isFile() && info.nlink === 1 ? { kind: 'write', path } : undefined
  if (makes !== 'folder') return { kind: 'write', path, create: 'file' }
  // Without -p a folder that is there already is an error.
  const isPatient = script.parts.every(
    ({ words }) =>
      words[0]?.text !== 'mkdir' || words.some(({ text }) => /^(?:-\w*p\w*|--parents)$/.test(text)),
  )
  return isPatient ? { kind: 'write', path, create: 'folder' } : undefined
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Puts there what a grant is for, so that it can be opened alone; what stayed empty after a failure is taken away. */
export async function placeGrant(grant: Blocked | undefined): Promise<(failed: boolean) => Promise<void>> {
  if (grant?.kind !== 'write' || !grant.create) return async () => {}
  const { path, create } = grant
  // Exclusive: a file that another process created is not ours to open.
  if (create === 'folder') await mkdir(path)
  else await (await open(path, 'wx', 0o600)).close()
  return async (failed) => {
    if (!failed) return
    if (create === 'folder') await rmdir(path).catch(() => undefined)
    else if ((await stat(path).catch(() => undefined))?.size === 0) await unlink(path).catch(() => undefined)
  }
}
