/**
 * The boundary. A command runs where nothing exists but the system, read-only, the project, toolchains, an empty home
 * and /tmp: without network, without other processes in sight, and everything it starts ends with it. Without
 * a sandbox, this says why, and every command must be approved.
 */
import { access, constants, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { freemem, homedir, totalmem } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { isInside } from '../../lib/path.ts'
import { makeTempFolder } from '../../lib/temp-folder.ts'
import { errorMessage } from '../../protocol/error.ts'
import { createBubblewrap, probeBubblewrap } from './bubblewrap.ts'
import { gatherFacts } from './facts.ts'
import { writeGitSettings } from './git-settings.ts'
import {
  type NoSandbox,
  type Sandbox,
  type SandboxContext,
  type SandboxOptions,
  tryProgram,
} from './context.ts'
import { createSeatbelt } from './seatbelt.ts'
import { createTree } from './tree.ts'
import { defined } from '../../lib/object.ts'

export async function detectSandbox(options: SandboxOptions): Promise<Sandbox | NoSandbox> {
  const { platform = process.platform } = options
  const name = PROGRAMS[platform]
  if (name === undefined) return { missing: `there is no sandbox for ${platform}` }
  const roots = await Promise.all(options.roots.map((root) => realpath(root)))
  const program = await findProgram(name, { ...options, roots })
  if (program === undefined) return { missing: `${name} is not installed` }
  // Nothing else is known of seatbelt's program, and it knows no such flag.
  const help = platform === 'darwin' ? undefined : helpOf(program)
  const context = await prepare(program, { ...options, roots }).catch((error: unknown) => errorMessage(error))
  if (typeof context === 'string')
    return { missing: `${name} needs a folder to work in; set TMPDIR to one that can be written: ${context}` }
  if (help === undefined) return withWarnings(await createSeatbelt(context), lowMemory())
  const probe = await probeBubblewrap(context, help)
  if (probe.ok) return withWarnings(await createBubblewrap(context, probe), lowMemory())
  await rm(context.folder, { recursive: true, force: true })
  return { missing: `${name} was refused: ${probe.why}` }
}

const helps = new Map<string, ReturnType<typeof tryProgram>>()

/** Asked once in a process: a server opens many sessions, and starting a program from a large one is slow. */
function helpOf(program: string): ReturnType<typeof tryProgram> {
  const known = helps.get(program)
  if (known) return known
  const help = tryProgram([program, '--help'])
  helps.set(program, help)
  // A machine that is too busy to answer is asked again.
  void help.then(({ ok }) => ok || helps.delete(program))
  return help
}

const withWarnings = (sandbox: Sandbox, warnings: readonly string[]): Sandbox => ({
  ...sandbox,
  warnings: [...sandbox.warnings, ...warnings],
})

const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = { linux: 'bwrap', darwin: 'sandbox-exec' }

type Searched = Pick<SandboxOptions, 'roots' | 'env'>

/** A program that lies in the workspace is not the one we mean, regardless of its author. */
async function findProgram(
  name: string,
  { roots, env = process.env }: Searched,
): Promise<string | undefined> {
  const folders = searchPath(env)
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
  for (const folder of folders) {
    const path = await realpath(join(folder, name)).catch(() => undefined)
    if (path === undefined || roots.some((root) => isInside(root, path) || isInside(root, folder))) continue
    const isProgram = await access(path, constants.X_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    )
    if (isProgram) return path
  }
  return undefined
}

const searchPath = (env: Readonly<Record<string, string | undefined>>): string =>
  env['PATH'] ?? '/usr/bin:/bin'

/** Enough for a build with many workers, too few to take the machine down. */
const PROCESSES = 1024
const MEMORY_SHARE = 0.75
/** With less than this a compiler or a test runner may be ended in the middle. */
const LOW_MEMORY = 1024 ** 3
const LEAST_MEMORY = 256 * 1024 ** 2

/** What commands may take together: of a busy machine, what is left. */
const memoryLimit = (): number =>
  Math.floor(Math.max(LEAST_MEMORY, MEMORY_SHARE * (freemem() < LOW_MEMORY ? freemem() : totalmem())))

const lowMemory = (): readonly string[] =>
  freemem() < LOW_MEMORY
    ? [`Only ${Math.round(freemem() / 1024 ** 2)} MiB of memory are free, so commands get no more than that.`]
    : []

async function prepare(program: string, options: SandboxOptions): Promise<SandboxContext> {
  const { roots, home = homedir(), env = process.env, host = false } = options
  const [project = process.cwd()] = roots
  const folder = makeTempFolder('sandbox')
  await Promise.all(['tmp', 'nothing'].map((name) => mkdir(join(folder, name))))
  await writeFile(join(folder, 'hidden'), '# This file may hold secrets and is hidden in the sandbox.\n', {
    mode: 0o444,
  })
  await writeFile(join(folder, 'empty'), '', { mode: 0o444 })
  const find = (name: string): Promise<string | undefined> => findProgram(name, { roots, env })
  const git = host ? undefined : await find('git')
  const { hidden = [], readable = [], writable = [] } = options
  const asked = { project, home, folder, path: searchPath(env), hidden, readable, writable, host }
  // git is started first and answers while the rest is looked at.
  const settings = writeGitSettings(folder, { home, git })
  const [facts] = await Promise.all([Promise.resolve(asked).then(gatherFacts), settings])
  const { interesting, denies, onProgress } = options
  return {
    program,
    findProgram: find,
    facts,
    tree: createTree({
      root: facts.git?.root ?? facts.project,
      project: facts.project,
      ...(facts.git?.elsewhere && { also: [facts.git.elsewhere.folder] }),
      ...defined({ interesting, denies, onProgress }),
    }),
    folder,
    network: options.network ?? false,
    readOnly: options.readOnly ?? false,
    host,
    hidesHistory: options.hidesHistory ?? false,
    limits: { processes: PROCESSES, memoryBytes: memoryLimit(), ...options.limits },
  }
}
