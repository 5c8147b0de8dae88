/** Commands with the comparison around them, in a real repository; in the sandbox of this machine where one is asked for. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClosableExec, createExec } from '../../../src/guard/exec.ts'
import { openWatch } from '../../../src/guard/executable/open-watch.ts'
import { isInteresting } from '../../../src/guard/executable/snapshot.ts'
import { detectSandbox } from '../../../src/guard/sandbox/detect.ts'
import type { ExecutableChanges } from '../../../src/protocol/tool.ts'
import { tempProject } from '../../support/project.ts'
import { atEndOfTest } from '../../support/cleanup.ts'

const run = promisify(execFile)

const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nowhere',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
}

/** As the person would, outside everything. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run('git', [...args], { cwd, env: ENVIRONMENT })).stdout.trim()
}

/** A project with one commit of these files; without any it has an `a.txt`. */
export async function repository(files?: Readonly<Record<string, string>>): Promise<string> {
  const root = await tempProject(files)
  if (files) await commitAll(root)
  else await cp(await usual(), root, { recursive: true })
  return root
}

async function commitAll(root: string): Promise<void> {
  await git(root, 'init', '-q', '-b', 'main')
  await git(root, 'add', '-A')
  await git(root, 'commit', '-q', '-m', 'first')
}

let made: Promise<string> | undefined

/** Made by git once in a worker, and copied for each test. */
function usual(): Promise<string> {
  made ??= (async () => {
    const root = await mkdtemp(join(tmpdir(), 'covey-repository-'))
    await writeFile(join(root, 'a.txt'), 'a\n')
    await commitAll(root)
    return root
  })()
  return made
}

export type Watched = {
  readonly exec: ClosableExec
  /** Runs a command to its end; what the comparison found. */
  sh(command: string): Promise<ExecutableChanges & { readonly output: string; readonly exitCode?: number }>
  readonly store: string
}

export async function watched(root: string, { sandboxed = false, home = '/nowhere' } = {}): Promise<Watched> {
  const store = await realpath(await mkdtemp(join(tmpdir(), 'covey-store-')))
  const sandbox = sandboxed ? await detectSandbox({ roots: [root], interesting: isInteresting }) : undefined
  if (sandbox && 'missing' in sandbox) throw new Error(sandbox.missing)
  const watch = openWatch({ root, home, env: ENVIRONMENT, store, ...(sandbox && { sandbox }) })
  const exec = createExec({ cwd: root, env: ENVIRONMENT, watch, ...(sandbox && { sandbox }) })
  atEndOfTest(() => rm(store, { recursive: true }))
  if (sandbox) atEndOfTest(() => sandbox.close())
  atEndOfTest(() => exec.close())
  return {
    exec,
    store,
    async sh(command) {
      const options = { timeoutMs: 15_000, signal: new AbortController().signal }
      const { output, exitCode } = await exec.shell(command, options)
      return { ...(await take(exec)), output, ...(exitCode !== undefined && { exitCode }) }
    },
  }
}

export async function take(exec: ClosableExec): Promise<ExecutableChanges> {
  return (await exec.executable?.()) ?? { withheld: [], started: [] }
}

export const paths = ({ withheld }: ExecutableChanges): readonly string[] =>
  withheld.map(({ path }) => path).toSorted()
