/**
 * A request over the API as a whole: a server with the built-in model, and a client that sends the tools of another program, carries
 * out what is called in a copy of the hand's folder and sends back what its tools would say, until there is no call any more. A question is
 * answered with yes. The server works in that copy, or (`away`) in an empty folder, as it does for a client on another machine.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { startServing, type Started } from '../src/app/serve.ts'
import { openServing } from '../src/app/served.ts'
import { HOW_TO_ANSWER } from '../src/nano/client/consent.ts'
import type { NanoModel } from '../src/nano/model.ts'
import type { NanoCall } from '../src/nano/steps/run.ts'
import type { Grounds } from '../src/nano/opinion/trust.ts'
import { perform, type Performed } from './nano-hands-client.ts'
import { clients, type ClientTool, lookOf } from './nano-hands-clients.ts'
import { environment, type Hand, type HandRow, type Made, writeFolder } from './nano-hands-run.ts'

export type ApiBench = {
  /** With the tools of the next client in turn. */
  ask(row: HandRow): Promise<{ calls: Made[]; client: string; text: string }>
  close(): Promise<void>
}

type Bench = {
  readonly model: NanoModel
  /** What was known of each call that could be made without a question. */
  readonly grounds: Grounds[]
  use(root: string): void
}

/** A run that long has lost its way. */
const MOST_CALLS = 12

export async function openApi(hand: Hand, bench: Bench, isAway = false): Promise<ApiBench> {
  const home = await mkdtemp(join(tmpdir(), 'covey-home-'))
  const empty = await mkdtemp(join(tmpdir(), 'covey-away-'))
  const env = await environment(home)
  const options = { env, cwd: empty, model: bench.model, incognito: true, probe: false }
  const settings = { dataFolder: join(home, 'data'), port: 0, isAuthOff: true }
  const server = await startServing(settings, () => openServing(options))
  const names = Object.keys(clients)
  let turn = 0
  return {
    async ask(row) {
      const client = names[turn++ % names.length] ?? ''
      const root = await mkdtemp(join(tmpdir(), 'covey-hand-'))
      await writeFolder(root, hand)
      bench.use(isAway ? empty : root)
      try {
        return {
          client,
          ...(await play(row.request, { ...bench, server, model: bench.model.name, client, root, env })),
        }
      } finally {
        await rm(root, { recursive: true, force: true })
      }
    },
    async close() {
      await server.close()
      await Promise.all([empty, home].map((folder) => rm(folder, { recursive: true, force: true })))
    },
  }
}

type Play = Pick<Bench, 'grounds'> & {
  readonly server: Started
  readonly model: string
  readonly client: string
  readonly root: string
  readonly env: NodeJS.ProcessEnv
}

async function play(
  request: string,
  { server, model, client, root, env, grounds: heard }: Play,
): Promise<{ calls: Made[]; text: string }> {
  const tools = clients[client] ?? []
  const messages: object[] = [
    { role: 'system', content: systemOf(client, root) },
    { role: 'user', content: request },
  ]
  const calls: Made[] = []
  let asked = false
  for (;;) {
    heard.length = 0
    const { message, call } = await post(server, { model, messages, tools })
    const grounds = heard.at(-1)
    const text = message?.content ?? ''
    // A yes that is not followed by the call was not understood.
    if (message && !call && !asked && text.includes(HOW_TO_ANSWER)) {
      messages.push({ role: 'assistant', content: text }, { role: 'user', content: 'yes' })
      asked = true
      continue
    }
    if (!message || !call || calls.length >= MOST_CALLS) return { calls, text }
    const { made, said } = await carryOut(call, tools, { root, env, client })
    calls.push({ ...made, asked, ...(grounds && { grounds }) })
    asked = false
    messages.push(message, { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id, content: said })
  }
}

/** Some programs tell where they work, others do not. */
const systemOf = (client: string, root: string): string =>
  ['capitals', 'camels'].includes(client)
    ? `You are a coding agent. Use the tools.\n\n<env>\nWorking directory: ${root}\nPlatform: linux\n</env>`
    : 'You are a coding agent. Use the tools.'

type Asked = {
  readonly model: string
  readonly messages: readonly object[]
  readonly tools: readonly ClientTool[]
}

async function post(
  { port }: Started,
  { tools, ...asked }: Asked,
): Promise<{ message?: Message; call?: NanoCall }> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...asked,
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const { choices } = (await response.json()) as {
    readonly choices: readonly { readonly message: Message }[]
  }
  const message = choices[0]?.message
  const called = message?.tool_calls?.[0]?.function
  return {
    ...(message && { message }),
    ...(called && { call: { name: called.name, input: JSON.parse(called.arguments) as NanoCall['input'] } }),
  }
}

type Message = {
  readonly content?: string | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

type Place = { readonly root: string; readonly env: NodeJS.ProcessEnv; readonly client: string }

async function carryOut(
  call: NanoCall,
  tools: readonly ClientTool[],
  { root, env, client }: Place,
): Promise<{ made: Made; said: string }> {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) throw new Error(`${call.name} was called and is not a tool of the client`)
  const own = withRelativePaths(tool.toOwn(call.input), root)
  const { command } = own.input
  const isCommand = own.name === 'run_command' && typeof command === 'string'
  const { ok, text } = isCommand ? await runShell(command, root, env) : await perform(own, root, client)
  const look = isCommand ? lookOf(command) : undefined
  const made = { ...(look ?? own), asked: false, ok }
  return { said: text, made: isCommand && !look ? { ...made, left: await folderAt(root) } : made }
}

/** Clients may be given whole paths of their own folder. */
const withRelativePaths = ({ name, input }: NanoCall, root: string): NanoCall => ({
  name,
  input: Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' && value.startsWith(`${root}/`) ? value.slice(root.length + 1) : value,
    ]),
  ),
})

const runShell = (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Performed> =>
  new Promise((done) => {
    execFile('/bin/sh', ['-c', command], { cwd, env, timeout: 10_000 }, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}`.trimEnd()
      done(error ? { ok: false, text: `${text}\nExit code: ${String(error.code)}` } : { ok: true, text })
    })
  })

/** Folders end with a slash. */
async function folderAt(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found = entries.map(async (entry): Promise<[string, string]> => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(root, path)
    return entry.isDirectory() ? [`${name}/`, ''] : [name, await readFile(path, 'utf8')]
  })
  return new Map(await Promise.all(found))
}
