/**
 * What a person may be asked to open for a command whose write was refused: exactly the path that the command itself
 * names, never one that only its output names, and nothing that holds more than that.
 */
import { lstat, mkdir, open, realpath, rmdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize, sep } from 'node:path'
import type { Blocked } from '../../protocol/tool.ts'
import { isInside } from '../../lib/path.ts'
import { isKeyPath, protectionOf } from '../protected-names.ts'
import { readScript, type Script } from '../shell-script.ts'
import { absolute, namedPaths } from './named-paths.ts'
import { isOwnName, isOwnPath } from './own-paths.ts'

export type GrantContext = {
  readonly cwd: string
  readonly home: string
  /** Covey's own folders and others that no command may see. */
  readonly hidden: readonly string[]
}

/** `printed` is the path in the error message: it chooses among the paths of the command, it adds none. */
export async function grantFor(
  command: string,
  printed: string | undefined,
  context: GrantContext,
): Promise<Blocked> {
  const script = await readScript(command)
  const attempted = printed === undefined ? undefined : await findAttempted(script, printed, context)
  if (attempted === undefined || !isOpenable(attempted, context)) return { kind: 'outside' }
  if (isInside(context.cwd, attempted)) return { kind: 'write', path: attempted }
  return (await outsideGrant(attempted, script)) ?? { kind: 'outside' }
}

async function findAttempted(
  script: Script,
  printed: string,
  context: GrantContext,
): Promise<string | undefined> {
  const named = namedPaths([script], context)
    .filter(({ glob }) => !glob)
    .map(({ path }) => path)
  const implied = impliedPaths(script, context)
  const candidates = [...named, ...(await insideFolders(named)), ...implied]
  const place = absolute(printed, context.cwd, context)
  if (!isAbsolute(printed)) {
    // From which folder it was meant nobody can say where there is more than one.
    const ending = `${sep}${normalize(printed)}`
    const [found, ...others] = new Set(candidates.filter((path) => path.endsWith(ending)))
    return others.length === 0 ? found : undefined
  }
  if (candidates.includes(place)) return place
  // `git init` fails at the first file of the repository.
  const holder = implied.find((path) => isInside(path, place))
  if (holder !== undefined) return holder
  // `mkdir -p a/b/c` fails at the first folder that is missing.
  const isMissing = !(await exists(place))
  return isMissing && candidates.some((path) => isInside(place, path)) ? place : undefined
}

/** `cp a.txt folder` writes `folder/a.txt`. */
async function insideFolders(named: readonly string[]): Promise<readonly string[]> {
  const kinds = await Promise.all(named.map((path) => stat(path).catch(() => undefined)))
  const folders = named.filter((_, index) => kinds[index]?.isDirectory())
  return folders.flatMap((folder) => named.map((path) => join(folder, basename(path))))
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

function isOpenable(path: string, { cwd, home, hidden }: GrantContext): boolean {
  if (protectionOf(path) === 'secret' || isKeyPath(path) || isOwnPath(path, hidden)) return false
  if (isInside(cwd, path)) return path !== cwd && !isOwnName(path.slice(cwd.length))
  const isTop = dirname(dirname(path)) === dirname(path)
  const holds = [home, cwd, ...hidden].some((inner) => isInside(path, inner))
  return !isTop && !holds && !SYSTEM.some((folder) => isInside(folder, path))
}

const SYSTEM = ['/proc', '/sys', '/dev', '/run', '/boot']

/** A file, or a folder that does not exist yet; never what a link leads to. */
async function outsideGrant(path: string, script: Script): Promise<Blocked | undefined> {
  const info = await lstat(path).catch(() => undefined)
  const parent = await realpath(dirname(path)).catch(() => undefined)
  if (parent !== dirname(path)) return undefined
  if (info) return info.isFile() ? { kind: 'write', path } : undefined
  const makesFolder = script.parts.some(({ words }) => words[0]?.text === 'mkdir')
  if (!makesFolder) return { kind: 'write', path, create: 'file' }
  // Without -p a folder that is there already is an error.
  const isPatient = script.parts.some(({ words }) =>
    words.some(({ text }) => /^(?:-\w*p\w*|--parents)$/.test(text)),
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
  // Exclusive: what somebody else has put there is not ours to open.
  if (create === 'folder') await mkdir(path)
  else await (await open(path, 'wx', 0o600)).close()
  return async (failed) => {
    if (!failed) return
    if (create === 'folder') await rmdir(path).catch(() => undefined)
    else if ((await stat(path).catch(() => undefined))?.size === 0) await unlink(path).catch(() => undefined)
  }
}
