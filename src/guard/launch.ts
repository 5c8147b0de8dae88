/**
 * How a program is started that configuration names: a hook, an MCP server. What the project configures runs in the
 * sandbox, because the model may edit it. What the person configures runs as it is, and the files of the project that it
 * names only with the content the person trusted.
 */
import { relative } from 'node:path'
import { type GroupOptions, type Launch, openProcess, type OpenProcess } from '../lib/process.ts'
import { cleanControl } from '../lib/clean.ts'
import { AppError } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import type { Watch } from './executable/watch.ts'
import { createStarter } from './exec.ts'
import { collectChanges } from './executable/collect.ts'
import { namedFiles } from './executable/named-files.ts'
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

async function requirePinned(name: string, argv: readonly string[], parts: LaunchParts): Promise<void> {
  const files = await namedFiles(argv, parts.root)
  if (files.length === 0) return
  const trust = await parts.openTrust()
  const open = files.filter(({ path, hash }) => hash === undefined || !trust.isTrusted(path, hash))
  if (open.length === 0) return
  const shown = open.map(({ path }) => cleanControl(relative(parts.root, path)))
  const what = open.length === 1 ? 'a file of the project that is' : 'files of the project that are'
  const commands = shown.map((path) => `covey trust add ${quoted(path)}`).join(' && ')
  const message = `${name} runs ${shown.join(', ')}, ${what} not trusted as ${open.length === 1 ? 'it is' : 'they are'} now. Look at it, then run: ${commands}`
  throw new AppError('permission-denied', message, { failure: 'denied' })
}

const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
