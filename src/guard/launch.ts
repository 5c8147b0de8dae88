/**
 * How a program is started that configuration names: a hook, an MCP server. What the project configures runs in the
 * sandbox, because the model may edit it, and so do hooks of the person, because the tools they call load code of the
 * project. What the person configures runs the files of the project that it names only with the content they trusted.
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
import type { NoSandbox, Sandbox } from './sandbox/context.ts'

export type LaunchParts = {
  readonly root: string
  /** Names of what the project configures. */
  readonly ofProject: ReadonlySet<string>
  /** Names of what the person configured to run in the sandbox too; outside where there is none. */
  readonly ofPerson?: ReadonlySet<string>
  /** Read anew each time: the person may have trusted a file meanwhile. */
  openTrust(): Promise<Pick<Trust, 'isTrusted'>>
  /** Absent = in this mode nothing is confined. */
  sandbox?(): Promise<Sandbox | NoSandbox>
  readonly watch?: Watch
  warn?(message: string): void
}

export function createLaunch(parts: LaunchParts): Launch {
  return async (name, argv, place) => {
    const wanted = { name, argv, place }
    const sandbox = await parts.sandbox?.()
    if (parts.ofProject.has(name))
      return sandbox ? confined(wanted, requireSandbox(name, sandbox), parts) : openProcess(argv, place)
    // Also in the sandbox: a hook that forbids must not be rewritten by what it forbids.
    await requirePinned(name, argv, parts)
    const isConfined = sandbox && !('missing' in sandbox) && parts.ofPerson?.has(name)
    return isConfined ? confined(wanted, sandbox, parts) : openProcess(argv, place)
  }
}

type Wanted = { readonly name: string; readonly argv: readonly string[]; readonly place: GroupOptions }

function requireSandbox(name: string, sandbox: Sandbox | NoSandbox): Sandbox {
  if (!('missing' in sandbox)) return sandbox
  const message = `${name} is configured by the project and runs only in a sandbox, and there is none: ${sandbox.missing}. Install one, or move ${name} to your own configuration.`
  throw new AppError('permission-denied', message, { failure: 'denied' })
}

async function confined(
  { name, argv, place }: Wanted,
  sandbox: Sandbox,
  parts: LaunchParts,
): Promise<OpenProcess> {
  const changes = collectChanges(parts.watch)
  const starter = createStarter({ ...place, sandbox, changes })
  const { running, left } = await starter.start(argv, openProcess)
  const told = left.then(async () => {
    for (const { path, does } of (await changes.take()).withheld) {
      parts.warn?.(`${name} left ${path}, which was withheld, because ${does}.`)
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
