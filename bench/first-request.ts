/**
 * How long after its start a program has sent its first request to a model server: Covey and, where they are installed, pi,
 * opencode and codex, in turns, in one run. A server on this machine notes when the request comes and answers with one word.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export type Start = { readonly argv: readonly string[]; readonly env?: Readonly<Record<string, string>> }

/** Programs of other makers in `FOLDER/node_modules/.bin`, set up to ask `url`; those that are not there are left out. */
export function peersIn(folder: string, home: string, url: string): Readonly<Record<string, Start>> {
  const program = (name: string): string => join(folder, 'node_modules/.bin', name)
  const file = (path: string, text: string): void => {
    mkdirSync(join(home, path, '..'), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const model = { id: 'm', name: 'm', contextWindow: 32_768, maxTokens: 4096 }
  const pi = { baseUrl: url, api: 'openai-completions', apiKey: 'none', models: [model] }
  file('.pi/agent/models.json', JSON.stringify({ providers: { bench: pi } }))
  const opencode = { npm: '@ai-sdk/openai-compatible', options: { baseURL: url }, models: { m: {} } }
  file('opencode.json', JSON.stringify({ model: 'bench/m', provider: { bench: opencode } }))
  const codex = ['model = "m"', 'model_provider = "bench"', '[model_providers.bench]', 'name = "bench"']
  file('.codex/config.toml', [...codex, `base_url = "${url}"`, 'wire_api = "responses"', ''].join('\n'))
  const all: Readonly<Record<string, Start>> = {
    'pi -p hi': { argv: [program('pi'), '-p', '--provider', 'bench', '--model', 'm', 'hi'] },
    'opencode run hi': { argv: [program('opencode'), 'run', 'hi'] },
    'codex exec hi': { argv: [program('codex'), 'exec', '--skip-git-repo-check', 'hi'] },
  }
  return Object.fromEntries(Object.entries(all).filter(([, { argv }]) => existsSync(argv[0] ?? '')))
}

const PATIENCE_MS = 30_000

export type ModelServer = {
  readonly url: string
  /** Milliseconds from the start of the program to its first request with messages. */
  timeOf(start: Start, home: string): Promise<number>
  close(): void
}

export async function startModelServer(): Promise<ModelServer> {
  let onAsked = (): void => {}
  const server = createServer((request, response) => {
    if (request.method === 'POST') onAsked()
    const isList = request.method === 'GET'
    response.setHeader('content-type', isList ? 'application/json' : 'text/event-stream')
    response.end(isList ? JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }) : ANSWER)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async timeOf({ argv: [program = '', ...args], env }, home) {
      const started = performance.now()
      const child = spawn(program, args, {
        cwd: home,
        env: { PATH: process.env['PATH'], HOME: home, ...env },
        stdio: 'ignore',
      })
      const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
      const taken = await new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${program} asked nothing`)), PATIENCE_MS)
        onAsked = () => {
          clearTimeout(timer)
          resolve(performance.now() - started)
        }
      }).finally(() => child.kill('SIGTERM'))
      await ended
      return taken
    },
    close: () => void server.close(),
  }
}

const ANSWER = [
  { choices: [{ index: 0, delta: { content: 'Done.' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('')
