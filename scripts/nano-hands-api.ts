/**
 * The first call of a request over the API: a server with the built-in model in the hand's folder, and a client that sends the tools of
 * another program. What the client would do is judged by its effect; a shell command is carried out in a copy of the folder.
 */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { startServing, type Started } from '../src/app/serve.ts'
import { openServing } from '../src/app/served.ts'
import type { NanoModel } from '../src/embedded/nano/model.ts'
import type { NanoCall } from '../src/embedded/nano/run.ts'
import { clients, type ClientTool, lookOf } from './nano-hands-clients.ts'
import { environment, type Hand, type HandRow, type Made, writeFolder } from './nano-hands-run.ts'

export type ApiBench = {
  /** With the tools of the next client in turn. */
  ask(row: HandRow): Promise<{ calls: Made[]; client: string; text: string }>
  close(): Promise<void>
}

export async function openApi(
  hand: Hand,
  bench: { readonly model: NanoModel; use(root: string): void },
): Promise<ApiBench> {
  const root = await mkdtemp(join(tmpdir(), 'covey-hand-'))
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  await writeFolder(root, hand)
  bench.use(root)
  const env = await environment(home)
  const options = { env, cwd: root, model: bench.model, incognito: true, probe: false }
  const settings = { dataFolder: join(home, 'data'), port: 0, isAuthOff: true }
  const server = await startServing(settings, () => openServing(options))
  let turn = 0
  return {
    async ask(row) {
      const names = Object.keys(clients)
      const client = names[turn++ % names.length] ?? ''
      const tools = clients[client] ?? []
      const { call, text } = await post(server, bench.model.name, { request: row.request, tools })
      const made = call && (await toMade(call, tools, { root, env }))
      return { calls: made ? [made] : [], client, text }
    },
    async close() {
      await server.close()
      await Promise.all([root, home].map((folder) => rm(folder, { recursive: true, force: true })))
    },
  }
}

type Asked = { readonly request: string; readonly tools: readonly ClientTool[] }

async function post(
  { port }: Started,
  model: string,
  { request, tools }: Asked,
): Promise<{ call?: NanoCall; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: 'You are a coding agent. Use the tools.' },
        { role: 'user', content: request },
      ],
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const { choices } = (await response.json()) as Completion
  const message = choices[0]?.message
  const called = message?.tool_calls?.[0]?.function
  const text = message?.content ?? ''
  return called
    ? { call: { name: called.name, input: JSON.parse(called.arguments) as NanoCall['input'] }, text }
    : { text }
}

type Completion = {
  readonly choices: readonly {
    readonly message: {
      readonly content?: string | null
      readonly tool_calls?: readonly {
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  }[]
}

type Place = { readonly root: string; readonly env: NodeJS.ProcessEnv }

async function toMade(call: NanoCall, tools: readonly ClientTool[], place: Place): Promise<Made> {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) throw new Error(`${call.name} was called and is not a tool of the client`)
  const own = tool.toOwn(call.input)
  const { command } = own.input
  if (own.name !== 'run_command' || typeof command !== 'string') return { ...own, asked: false, ok: true }
  return {
    ...(lookOf(command) ?? { ...own, left: await afterCommand(command, place) }),
    asked: false,
    ok: true,
  }
}

/** The files after a command, in a copy of the folder; folders end with a slash. */
async function afterCommand(command: string, { root, env }: Place): Promise<ReadonlyMap<string, string>> {
  const copy = await mkdtemp(join(tmpdir(), 'covey-copy-'))
  try {
    await cp(root, copy, { recursive: true })
    await promisify(execFile)('/bin/sh', ['-c', command], { cwd: copy, env, timeout: 10_000 }).catch(() => {})
    const entries = await readdir(copy, { recursive: true, withFileTypes: true })
    const found = entries.map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name)
      const name = relative(copy, path)
      return entry.isDirectory() ? [`${name}/`, ''] : [name, await readFile(path, 'utf8')]
    })
    return new Map(await Promise.all(found))
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
