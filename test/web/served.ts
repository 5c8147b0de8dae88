/** A real `covey serve` in a process of its own, with a scripted model, and codes for its page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pageAddress } from '../../src/app/page.ts'
import { coveyProgram } from '../support/program.ts'

export type ScriptLine = {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly { readonly name: string; readonly input: object | string }[]
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cached?: number }
  readonly error?: { readonly code: string; readonly message: string }
}

export type ServedOptions = {
  readonly script?: readonly ScriptLine[]
  readonly files?: Readonly<Record<string, string>>
  /** Files below the data folder before the server starts. */
  readonly data?: Readonly<Record<string, string>>
  readonly config?: string
  /** After `serve`, in the place of the scripted model. */
  readonly args?: readonly string[]
  readonly port?: number
}

export type Served = {
  readonly url: string
  readonly port: number
  readonly project: string
  readonly dataFolder: string
  readonly env: NodeJS.ProcessEnv
  /** All that it wrote to stdout and stderr. */
  logged(): string
  covey(
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
  /** An address that opens the page, once; as `covey web` makes it. */
  address(options?: { readonly isReadOnly?: boolean }): Promise<string>
  /** Ends it as Ctrl+C does, or at once, and starts it again at the same port. */
  restart(signal?: NodeJS.Signals): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function openServed(options: ServedOptions = {}): Promise<Served> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'covey-web-')))
  const project = join(root, 'shop')
  const dataFolder = join(root, 'data', 'covey')
  await write(project, { 'README.md': '# Shop\n', ...options.files })
  await write(dataFolder, options.data ?? {})
  await write(join(root, 'config', 'covey'), { 'config.toml': options.config ?? '' })
  const script = join(root, 'script.jsonl')
  await writeFile(
    script,
    (options.script ?? [{ text: 'Hello.' }]).map((line) => JSON.stringify(line)).join('\n'),
  )
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: root,
    XDG_DATA_HOME: join(root, 'data'),
    XDG_CONFIG_HOME: join(root, 'config'),
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
  }
  const args = options.args ?? ['--model', `scripted:${script}`]
  return run({ root, project, dataFolder, env, args, port: options.port ?? 0 })
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

type Place = {
  readonly root: string
  readonly project: string
  readonly dataFolder: string
  readonly env: NodeJS.ProcessEnv
  readonly args: readonly string[]
  readonly port: number
}

async function run({ root, project, dataFolder, env, args, port: wished }: Place): Promise<Served> {
  let logged = ''
  let child: ChildProcess | undefined
  let url = ''
  const start = async (): Promise<void> => {
    const port = url === '' ? wished : Number(new URL(url).port)
    const words = [...coveyProgram, 'serve', '--port', String(port), ...args]
    const started = spawn(process.execPath, words, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    const from = logged.length
    url = await new Promise<string>((resolve, reject) => {
      const hear = (data: Buffer) => {
        logged += data.toString()
        const said = logged.slice(from)
        const found = /listens on (http:\/\/\S+)/.exec(said)?.[1]
        if (found !== undefined && said.includes('Ctrl+C')) resolve(found)
      }
      started.stdout.on('data', hear)
      started.stderr.on('data', hear)
      started.on('close', (code) => reject(new Error(`covey serve ended with ${code}: ${logged}`)))
    })
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    const ended = child
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return
    const closed = new Promise((resolve) => ended.once('close', resolve))
    ended.kill(signal)
    await closed
  }
  const covey: Served['covey'] = async (...words) => {
    const ran = spawn(process.execPath, [...coveyProgram, ...words], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    ran.stdout.on('data', (data: Buffer) => (out += data.toString()))
    ran.stderr.on('data', (data: Buffer) => (err += data.toString()))
    const code = await new Promise<number | null>((resolve) => ran.on('close', resolve))
    return { code, out, err }
  }
  await start()
  return {
    url,
    port: Number(new URL(url).port),
    project,
    dataFolder,
    env,
    logged: () => logged,
    covey,
    address: ({ isReadOnly = false } = {}) => pageAddress(dataFolder, url, isReadOnly),
    async restart(signal) {
      await stop(signal)
      await start()
    },
    stop,
    start,
    async close() {
      await stop('SIGKILL')
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
