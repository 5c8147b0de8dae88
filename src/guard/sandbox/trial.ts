/**
 * What a command says about changes that were not made: the workspace under an overlay that holds them, inside the same
 * sandbox as every command. Nothing of it stays. Works where this system lets a user mount an overlay in a namespace of
 * their own; elsewhere there are no trials, and effects are not known beforehand.
 */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ExecResult, FileChange, TryChanges } from '../../protocol/tool.ts'
import { isInside } from '../../lib/path.ts'
import { makeTempFolder } from '../../lib/temp-folder.ts'
import { containPath } from '../paths/contain.ts'
import { createExec } from '../exec.ts'
import { type Sandbox, tryProgram } from './context.ts'

export type TrialParts = {
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly sandbox: Sandbox
}

/** Nothing where this machine cannot do it. */
export async function createTrial(parts: TrialParts): Promise<TryChanges | undefined> {
  const isPossible = await inTrialFolder(
    async (folder) => (await tryProgram([...overlay(parts.root, folder, []), '/bin/true'])).ok,
  ).catch(() => false)
  if (!isPossible) return undefined
  return (changes, command, options) =>
    inTrialFolder(async (folder) => {
      await Promise.all(changes.map((change) => lay(change, parts.root, join(folder, 'upper'))))
      const gone = await removedPaths(changes, parts.root)
      return runOver(parts, overlay(parts.root, folder, gone), (exec) => exec.shell(command, options))
    })
}

/** Only what lies under the overlay, links followed: they are removed before the sandbox is entered. */
async function removedPaths(changes: readonly FileChange[], root: string): Promise<readonly string[]> {
  const removed = changes.filter(({ after }) => after === undefined)
  const places = await Promise.all(
    removed.map(({ path }) => containPath(path, { roots: [root], operation: 'write' })),
  )
  return places.flatMap(({ ok, real }) => (ok && real !== undefined ? [real] : []))
}

async function inTrialFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = makeTempFolder('trial')
  try {
    await Promise.all([mkdir(join(folder, 'upper')), mkdir(join(folder, 'work'))])
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** As root no user namespace is needed, and the sandbox can be entered as usual. */
const NAMESPACE = process.getuid?.() === 0 ? '-m' : '-rm'

const SCRIPT =
  'mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$1" && cd "$1" && shift 2 && ' +
  'while [ "$1" != -- ]; do rm -f "$1"; shift; done && shift && exec "$@"'

/** What comes before a program so that it sees the workspace as it would be. */
const overlay = (root: string, folder: string, gone: readonly string[]): readonly string[] => [
  'unshare',
  NAMESPACE,
  '/bin/sh',
  '-c',
  SCRIPT,
  'sh',
  root,
  folder,
  ...gone,
  '--',
]

async function lay({ path, after }: FileChange, root: string, upper: string): Promise<void> {
  const target = join(upper, path)
  if (after === undefined || !isInside(upper, target)) return
  const mode = await stat(join(root, path)).then(
    (info) => info.mode & 0o777,
    () => 0o644,
  )
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, after, { mode })
}

async function runOver(
  { root, env, sandbox }: TrialParts,
  prefix: readonly string[],
  run: (exec: ReturnType<typeof createExec>) => Promise<ExecResult>,
): Promise<ExecResult> {
  const exec = createExec({
    cwd: root,
    env,
    sandbox: {
      ...sandbox,
      async enter(argv, terms) {
        const entered = await sandbox.enter(argv, terms)
        return { ...entered, argv: [...prefix, ...entered.argv] }
      },
    },
  })
  try {
    return await run(exec)
  } finally {
    await exec.close()
  }
}
