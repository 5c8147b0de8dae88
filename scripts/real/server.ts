/** A llama.cpp server with real weights, for measurements and for `npm run test:real`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { realCache } from './weights.ts'

/** The program by its variable, else on the PATH; undefined where it is not installed. */
function findProgram(variable: string, name: string, env = process.env): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return [env[variable] ?? '', ...folders.map((folder) => join(folder, name))].find(
    (path) => path !== '' && existsSync(path),
  )
}

export const findOllama = (): string | undefined => findProgram('COVEY_REAL_OLLAMA', 'ollama')

export const findLlamaServer = (): string | undefined =>
  findProgram('COVEY_REAL_LLAMA_SERVER', 'llama-server')

/** A Python that has llama-cpp-python, with what its server needs. */
export function findLlamaPython(): string | undefined {
  const python = findProgram('COVEY_REAL_LLAMA_CPP_PYTHON', 'python3')
  if (python === undefined) return undefined
  const needed =
    'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ["llama_cpp", "fastapi"])))'
  return spawnSync(python, ['-c', needed], { stdio: 'ignore' }).status === 0 ? python : undefined
}

/** What a measurement with an embedding model needs; ends the program where it is not there. */
export function requireEmbedding(): { readonly program: string; readonly model: string } {
  const program = findLlamaServer()
  const model = join(realCache(), 'all-MiniLM-L6-v2.F32.gguf')
  if (program !== undefined && existsSync(model)) return { program, model }
  console.error(
    'llama-server or the embedding model is missing: npm run real:fetch, COVEY_REAL_LLAMA_SERVER.',
  )
  process.exit(1)
}

export type RealServer = {
  /** Without `/v1`. */
  readonly url: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

export type ServerCommand = {
  readonly program: string
  readonly args: readonly string[]
  readonly port: number
  readonly env?: NodeJS.ProcessEnv
  /** A file for what it prints; absent = nowhere. */
  readonly log?: string
}

/** Resolves when the process runs; whether it answers yet is another matter. */
export function startServer({ program, args, port, env = process.env, log }: ServerCommand): RealServer {
  const output = log === undefined ? 'ignore' : openSync(log, 'a')
  const child = spawn(program, args, { env, stdio: ['ignore', output, output] })
  if (typeof output === 'number') closeSync(output)
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** One thread and no spinning: measured with other work on the machine, two threads were thirty times slower. */
export const llamaArgs = (model: string, port: number, more: readonly string[] = []): readonly string[] =>
  `--host 127.0.0.1 --port ${port} --threads 1 --threads-batch 1 --poll 0 --slots --metrics`
    .split(' ')
    .concat('--model', model, more)

export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Waits until `path` answers with success. */
export async function untilReady({ url, process: child }: RealServer, path: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const isReady = await fetch(url + path).then(
      async (response) => (await response.arrayBuffer(), response.ok),
      () => false,
    )
    if (isReady) return
    await wait(100)
  }
  throw new Error(`the server ended with exit code ${child.exitCode}`)
}
