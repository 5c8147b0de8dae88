/** One request of a hand, carried out by the whole program in a new folder: what was called, asked for and left behind. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createApp } from '../src/app/open.ts'
import type { NanoCall } from '../src/nano/steps/run.ts'
import type { NanoModel } from '../src/nano/model.ts'
import type { Grounds } from '../src/nano/opinion/trust.ts'
import type { SessionApi } from '../src/protocol/session-api.ts'

export type Step = Readonly<Record<string, unknown>> & { readonly do: string }

export type HandRow = {
  readonly id: string
  readonly request: string
  readonly kind: 'look' | 'act' | 'chain' | 'no'
  readonly effect: readonly Step[]
  readonly also: readonly (readonly Step[])[]
  readonly why?: string
  readonly task: string
  readonly category: string
}

export type Hand = { readonly folder: Readonly<Record<string, string>>; readonly rows: readonly HandRow[] }

/** `asked`: nothing would have been done without a yes. */
export type Made = NanoCall & {
  readonly asked: boolean
  readonly ok: boolean
  /** The folder that a command left behind, where that was looked at; folders end with a slash. */
  readonly left?: ReadonlyMap<string, string>
  /** What was known of it, where it was not read word for word in the request. */
  readonly grounds?: Grounds
}

export async function loadHand(name: string): Promise<Hand> {
  const read = (file: string): Promise<string> =>
    readFile(new URL(`../nano/hands/${name}/${file}`, import.meta.url), 'utf8')
  const rows = (await read('requests.jsonl')).trim().split('\n')
  return {
    folder: JSON.parse(await read('folder.json')) as Hand['folder'],
    rows: rows.map((line) => JSON.parse(line) as HandRow),
  }
}

type Bench = { readonly model: NanoModel; use(root: string): void }

export async function runRequest(row: HandRow, hand: Hand, bench: Bench): Promise<{ calls: Made[] }> {
  const root = await mkdtemp(join(tmpdir(), 'covey-hand-'))
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  try {
    await writeFolder(root, hand)
    bench.use(root)
    return { calls: await prompt(row.request, bench.model, { root, env: await environment(home) }) }
  } finally {
    await Promise.all([root, home].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

export async function writeFolder(root: string, { folder }: Hand): Promise<void> {
  for (const [path, text] of Object.entries(folder)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

type Place = { readonly root: string; readonly env: NodeJS.ProcessEnv }

async function prompt(request: string, model: NanoModel, { root, env }: Place): Promise<Made[]> {
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
  const session = await app.openSession({ resume: 'new', canAsk: true })
  const stop = new AbortController()
  const limit = setTimeout(() => stop.abort(), LIMIT_MS)
  try {
    const calls = watch(session, stop.signal)
    await session.prompt(request)
    return await calls
  } finally {
    clearTimeout(limit)
    stop.abort()
    await session.close()
    await app.close()
  }
}

const LIMIT_MS = 60_000

async function watch(session: SessionApi, signal: AbortSignal): Promise<Made[]> {
  const asked = new Set<string>()
  const started = new Map<string, NanoCall>()
  const calls: Made[] = []
  for await (const event of session.events({ signal })) {
    if (event.type === 'permission-ask') {
      asked.add(event.call.id)
      await session.answer(event.askId, { allow: true })
    } else if (event.type === 'tool-start') {
      started.set(event.call.id, {
        name: event.call.name,
        input: JSON.parse(event.call.input) as NanoCall['input'],
      })
    } else if (event.type === 'tool-end') {
      const call = started.get(event.callId)
      if (call) calls.push({ ...call, asked: asked.has(event.callId), ok: event.ok })
    } else if (event.type === 'run-end') break
  }
  return calls
}

/** Programs the hands speak of: what they would do to the folder is no part of a label. */
const PROGRAMS =
  'make npm npx python3 python node bash git pytest cargo go docker kubectl terraform helm openocd latexmk pdflatex Rscript mix rake bundle rails dotnet php composer pnpm yarn pip uv ruby mvn gradle ansible-playbook just'

export async function environment(home: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(home, 'bin')
  await mkdir(bin)
  for (const name of PROGRAMS.split(' ')) {
    await writeFile(join(bin, name), '#!/bin/sh\necho done\n')
    await chmod(join(bin, name), 0o755)
  }
  const folders = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') }
  return { PATH: `${bin}:/usr/bin:/bin`, ...folders }
}
