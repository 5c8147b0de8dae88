/**
 * The held-out tasks of several steps, carried out by the whole program: nano, the loop, the real tools, a real folder.
 * Commands that other machines may lack (npm, make, pytest) are stand-ins that answer as nano/eval/commands.json says.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createApp } from '../src/app/open.ts'
import { readCall } from '../src/nano/decide.ts'
import type { NanoReply } from '../src/nano/weights/engine.ts'
import type { NanoModel } from '../src/nano/model.ts'
import { builtinTools } from '../src/tools/all.ts'
import { isSameCall, type StepRow } from './nano-judge.ts'

const EVAL = new URL('../nano/eval/', import.meta.url)

const readEval = (path: string): Promise<string> => readFile(new URL(path, EVAL), 'utf8')

export async function loadRows<T>(path: string): Promise<T[]> {
  const lines = (await readEval(path)).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

/** A new folder with the files of one of nano/eval/folders. */
export async function makeFolder(name: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'covey-nano-'))
  await writeFiles(root, JSON.parse(await readEval(`folders/${name}.json`)) as Record<string, string>)
  return root
}

async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

/** Tasks that need a tool this program does not have cannot be judged. */
export const isPossible = ({ calls }: StepRow): boolean =>
  calls.every((options) => options.some(({ tool }) => HAS.has(tool)))

const HAS = new Set(builtinTools({ list: () => [] }).map(({ name }) => name))

export type StepsResult = { readonly right: boolean; readonly trail: readonly string[] }

/** `replies` is filled by the model while it answers; `use` points it at a folder. */
export async function runSteps(
  row: StepRow,
  model: NanoModel,
  { use, replies }: { use(root: string): void; readonly replies: NanoReply[] },
): Promise<StepsResult> {
  const root = await makeFolder(row.folder)
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  try {
    use(root)
    replies.length = 0
    await promptApp(row, model, { root, env: await environment(row.folder, home) })
    const trail = replies.map(({ text }) => text)
    return { right: isRight(row, trail) && (await holds(row, root)), trail }
  } finally {
    await Promise.all([root, home].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

type Place = { readonly root: string; readonly env: NodeJS.ProcessEnv }

async function promptApp({ request }: StepRow, model: NanoModel, { root, env }: Place): Promise<void> {
  const { window } = model.capabilities
  const app = await createApp({
    env,
    cwd: root,
    model,
    window,
    permission: 'bypass',
    incognito: true,
    probe: false,
  })
  const session = await app.openSession({ resume: 'new', canAsk: false })
  const stop = new AbortController()
  try {
    const events = session.events({ signal: stop.signal })
    await session.prompt(request)
    for await (const event of events) if (event.type === 'run-end') break
  } finally {
    stop.abort()
    await session.close()
    await app.close()
  }
}

/** An empty home, and the stand-ins in front of everything else. */
async function environment(folder: string, home: string): Promise<NodeJS.ProcessEnv> {
  const commands = JSON.parse(await readEval('commands.json')) as Record<
    string,
    Record<string, [number, string]>
  >
  const bin = join(home, 'bin')
  await mkdir(bin)
  const answers = Object.entries(commands[folder] ?? {})
  for (const program of new Set(answers.map(([command]) => command.split(' ')[0] ?? ''))) {
    const cases = answers
      .filter(([command]) => command.split(' ')[0] === program)
      .map(([command, [code, output]]) => {
        const words = command.slice(program.length + 1)
        return `'${words}') printf '%s\\n' '${output}'; exit ${code};;`
      })
    await writeFile(join(bin, program), `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\n*) exit 127;;\nesac\n`)
    await chmod(join(bin, program), 0o755)
  }
  return {
    PATH: [bin, process.env['PATH']].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
  }
}

function isRight({ calls, forms }: StepRow, trail: readonly string[]): boolean {
  const form = /<\|form:(\w+)\|>/.exec(trail.at(-1) ?? '')?.[1] ?? ''
  return (
    trail.length === calls.length + 1 &&
    forms.includes(form) &&
    calls.every((options, index) => {
      const call = readCall(trail[index] ?? '')
      return call !== undefined && options.some((wanted) => isSameCall(call, wanted))
    })
  )
}

async function holds({ checks }: StepRow, root: string): Promise<boolean> {
  const results = await Promise.all(
    checks.map(async ({ path, equals, contains = '' }) => {
      const text = await readFile(join(root, path), 'utf8').catch(() => undefined)
      if (text === undefined) return false
      return equals === undefined ? text.includes(contains) : text.trim() === equals.trim()
    }),
  )
  return results.every(Boolean)
}
