/**
 * How a program is started that configuration names: a hook, an MCP server. What the project configures runs in the
 * sandbox, because the model may edit it. What the person configures runs as it is, and the files of the project that it
 * names only with the content the person trusted.
 */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { isInside } from '../lib/path.ts'
import { type GroupOptions, type Launch, openProcess, type OpenProcess } from '../lib/process.ts'
import { readRegular, type RegularFile } from '../lib/read-regular.ts'
import { AppError } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import type { Watch } from './executable/watch.ts'
import { createStarter } from './exec.ts'
import { collectChanges } from './executable/collect.ts'
import type { NoSandbox, Sandbox } from './sandbox/ground.ts'

export type LaunchParts = {
  readonly root: string
  /** Names of what the project configures. */
  readonly ofProject: ReadonlySet<string>
  /** Read anew each time: the person may have trusted a file meanwhile. */
  openTrust(): Promise<Pick<Trust, 'isTrusted'>>
  /** Absent = in this mode nothing is confined. */
  sandbox?(): Promise<Sandbox | NoSandbox>
  readonly watch?: Watch
  warn?(message: string): void
}

export function createLaunch(parts: LaunchParts): Launch {
  return async (name, argv, place) => {
    if (parts.sandbox && parts.ofProject.has(name)) return confined({ name, argv, place }, parts)
    if (!parts.ofProject.has(name)) await requirePinned(name, argv, parts)
    return openProcess(argv, place)
  }
}

type Wanted = { readonly name: string; readonly argv: readonly string[]; readonly place: GroupOptions }

async function confined({ name, argv, place }: Wanted, parts: LaunchParts): Promise<OpenProcess> {
  const sandbox = await parts.sandbox?.()
  if (!sandbox || 'missing' in sandbox) {
    const why = sandbox ? sandbox.missing : 'none is open'
    const message = `${name} is configured by the project and runs only in a sandbox, and there is none: ${why}. Install one, or move ${name} to your own configuration.`
    throw new AppError('permission-denied', message, { failure: 'denied' })
  }
  const changes = collectChanges(parts.watch)
  const starter = createStarter({ ...place, sandbox, changes })
  const { running, left } = await starter.start(argv, openProcess)
  const told = left.then(async () => {
    for (const { path, does } of (await changes.take()).withheld) {
      parts.warn?.(`${name} left ${path}, which was set aside, because ${does}.`)
    }
  })
  return { ...running, stop: () => running.stop().then(() => told) }
}

const MAX_BYTES = 16 * 1024 * 1024

async function requirePinned(name: string, argv: readonly string[], parts: LaunchParts): Promise<void> {
  const files = await filesNamed(argv, parts.root)
  if (files.length === 0) return
  const trust = await parts.openTrust()
  for (const { path, hash } of files) {
    if (hash !== undefined && trust.isTrusted(path, hash)) continue
    const shown = relative(parts.root, path)
    const message = `${name} runs ${shown}, a file of the project that is not trusted as it is now. Look at it, then run: covey trust add ${shown}`
    throw new AppError('permission-denied', message, { failure: 'denied' })
  }
}

type NamedFile = { readonly path: string; readonly hash: string | undefined }

/** Files of the project that a command line names; what a shell would make of it is not computed. */
async function filesNamed(argv: readonly string[], root: string): Promise<readonly NamedFile[]> {
  const words = new Set(argv.flatMap((word) => [word, ...word.split(/[\s;&|()<>"'`=,]+/)]))
  const found = await Promise.all(
    [...words].filter((word) => word !== '' && word.length < 4096).map((word) => named(word, root)),
  )
  return found.filter((file) => file !== undefined)
}

async function named(word: string, root: string): Promise<NamedFile | undefined> {
  const path = resolve(root, word.replace(/^\$\{?PWD\}?\//, './'))
  if (!isInside(root, path) || path === root) return undefined
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) return undefined
  const file = await readRegular(real, MAX_BYTES).catch(() => undefined)
  if (!file || isData(path, file)) return undefined
  return { path, hash: createHash('sha256').update(file.bytes.toString('utf8')).digest('hex') }
}

/** What no program runs by being given its name. */
const isData = (path: string, { bytes, mode }: RegularFile): boolean =>
  /\.(?:txt|md|json|csv|tsv|log|lock|svg|png|jpe?g)$/i.test(path) &&
  (mode & 0o111) === 0 &&
  bytes.toString('latin1', 0, 2) !== '#!'
