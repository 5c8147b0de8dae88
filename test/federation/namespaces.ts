/** Machines as network namespaces on one bridge: real processes, real multicast, and a wire that can be cut. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coveyProgram } from '../support/program.ts'
import { IP, ip, slowDown, type Wire } from './slow-wire.ts'

const SLOW_MODEL = fileURLToPath(new URL('slow-model.mjs', import.meta.url))

/** Why namespaces cannot be had here, if they cannot. */
export function whyNoNamespaces(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has network namespaces'
  if (process.getuid?.() !== 0) return 'only root makes network namespaces'
  const name = `cvtry${process.pid}`
  const made = spawnSync(IP, ['netns', 'add', name])
  if (made.status !== 0) return 'ip netns does not work here'
  spawnSync(IP, ['netns', 'del', name])
  return undefined
}

const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`

/** Why a machine cannot have a clock of its own here, if it cannot. */
export const whyNoClocks = (): string | undefined =>
  existsSync(FAKETIME) ? whyNoNamespaces() : `there is no ${FAKETIME}; Debian has it as faketime`

export type Site = {
  readonly machines: readonly NamespaceMachine[]
  /** Puts the process of the test on the same network, as one more machine. */
  attach(): void
  close(): Promise<void>
}

/** `network` is that of the bridge; sites that a test attaches itself to at the same time need different ones. */
export async function openSite(count: number, config: string, network = '10.79.0'): Promise<Site> {
  const tag = `cv${process.pid}`
  const folder = await mkdtemp(join(tmpdir(), 'covey-flock-'))
  ip('link', 'add', `${tag}br`, 'type', 'bridge')
  ip('link', 'set', `${tag}br`, 'up')
  const machines: NamespaceMachine[] = []
  for (let index = 1; index <= count; index++) {
    const machine = new NamespaceMachine({
      name: `${tag}n${index}`,
      address: `${network}.${index}`,
      folder: join(folder, `${index}`),
      wire: { end: `${tag}v${index}`, bridge: `${tag}br` },
    })
    addNamespace(machine)
    await machine.prepare(config)
    machines.push(machine)
  }
  return {
    machines,
    attach: () => ip('addr', 'add', `${network}.254/24`, 'dev', `${tag}br`),
    async close() {
      for (const machine of machines) await machine.remove()
      ip('link', 'del', `${tag}br`)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function addNamespace({ name, address, wire: { end, bridge } }: ListenAddress): void {
  ip('netns', 'add', name)
  ip('link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  ip('link', 'set', end, 'addrgenmode', 'none', 'master', bridge, 'up')
  ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  ip('-n', name, 'link', 'set', 'eth0', 'up')
  ip('-n', name, 'link', 'set', 'lo', 'up')
  ip('-n', name, 'route', 'add', 'default', 'dev', 'eth0')
}

export type Health = {
  readonly peers: readonly { readonly id: string; readonly state: string; readonly why?: string }[]
}

export type Held = { readonly files: number; readonly timers: number; readonly streams: number }

/** What is of interest in the answer to a chat request. */
export type Chat = {
  readonly status: number
  readonly text: string
  readonly winner?: string
  readonly missing: readonly string[]
  /** Why these are missing. */
  readonly whys: readonly string[]
  readonly voted: number
}

type ListenAddress = {
  readonly name: string
  readonly address: string
  readonly folder: string
  readonly wire: Wire
}

export class NamespaceMachine implements ListenAddress {
  readonly name: string
  readonly address: string
  readonly folder: string
  readonly wire: Wire
  #model: ChildProcess | undefined
  #server: ChildProcess | undefined
  #quicken: (() => Promise<void>) | undefined
  /** What gives its programs a clock of their own. */
  clock: NodeJS.ProcessEnv = {}

  constructor({ name, address, folder, wire }: ListenAddress) {
    this.name = name
    this.address = address
    this.folder = folder
    this.wire = wire
  }

  async prepare(config: string): Promise<void> {
    await mkdir(join(this.folder, 'config', 'covey'), { recursive: true })
    await mkdir(join(this.folder, 'work'))
    const named = `[federation]\nname = "${this.address.replaceAll('.', '-')}"\n${config}`
    await writeFile(join(this.folder, 'config', 'covey', 'config.toml'), named)
    this.#model = this.#spawn([SLOW_MODEL, '9000'])
  }

  /** Done when it listens. */
  async serve(): Promise<void> {
    const model = '--base-url http://127.0.0.1:9000/v1 --model m --window 8192 --no-probe'
    const words = `serve --no-auth --federation --host ${this.address} ${model}`
    const server = this.#covey(words.split(' '))
    this.#server = server
    let said = ''
    server.stderr?.on('data', (data: Buffer) => (said += data.toString()))
    await new Promise<void>((resolve, reject) => {
      server.stdout?.on('data', (data: Buffer) => data.toString().includes('Ctrl+C') && resolve())
      server.on('close', (code) => reject(new Error(`covey serve ended with ${code}: ${said}`)))
    })
  }

  signal(name: NodeJS.Signals): void {
    this.#server?.kill(name)
  }

  async kill(): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('close', resolve))
    server.kill('SIGKILL')
    await ended
  }

  cut(): void {
    ip('-n', this.name, 'link', 'set', 'eth0', 'down')
  }

  repair(): void {
    ip('-n', this.name, 'link', 'set', 'eth0', 'up')
    spawnSync(IP, ['-n', this.name, 'route', 'add', 'default', 'dev', 'eth0'])
  }

  /** Every frame takes so long to it, and so long from it. */
  async slow(ms: number): Promise<void> {
    await this.quick()
    this.#quicken = await slowDown(this.wire, ms)
  }

  async quick(): Promise<void> {
    await this.#quicken?.()
    this.#quicken = undefined
  }

  /** How wrong its clock is, such as `+1d`. Programs that were started before it was set once keep the right one. */
  async setClock(offset: string): Promise<void> {
    const file = join(this.folder, 'clock')
    await writeFile(`${file}.new`, `${offset}\n`)
    await rename(`${file}.new`, file)
    this.clock = {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  run(
    args: readonly string[],
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    return finished(this.#covey(args))
  }

  /** Connections with other machines that are open now, in either direction. */
  connections(): number {
    const shown = execFileSync(IP, ['netns', 'exec', this.name, 'ss', '-Htn', 'state', 'established'])
    return shown
      .toString()
      .split('\n')
      .filter((line) => /:17617\b/.test(line)).length
  }

  /** What its server holds: open files, timers and running work, as it measures itself. */
  async held(): Promise<Held> {
    const metrics = await this.#curl('/metrics')
    const value = (pattern: RegExp) => Number(pattern.exec(metrics)?.[1] ?? Number.NaN)
    return {
      files: value(/^covey_process_open_fds (\d+)/m),
      timers: value(/^covey_nodejs_active_resources\{type="Timeout"\} (\d+)/m),
      streams: value(/^covey_http_streams (\d+)/m),
    }
  }

  /** The addresses with a listener. */
  listeners(): readonly string[] {
    const shown = execFileSync(IP, ['netns', 'exec', this.name, 'ss', '-Hltn']).toString()
    return shown
      .trim()
      .split('\n')
      .flatMap((line) => line.split(/\s+/)[3] ?? [])
  }

  async health(): Promise<Health> {
    return JSON.parse(await this.#curl('/v1/federation/health')) as Health
  }

  /** How many peers it sees. */
  async here(): Promise<number> {
    const { peers } = await this.health().catch(() => ({ peers: [] }))
    return peers.filter(({ state }) => state === 'here').length
  }

  async chat(model: string): Promise<Chat> {
    const body = { model, messages: [{ role: 'user', content: 'What is six times seven?' }] }
    const reply = await this.#curl('/v1/chat/completions', JSON.stringify(body))
    const { choices, covey } = JSON.parse(reply || '{}') as {
      choices?: { message: { content: string } }[]
      covey?: {
        swarm: { winner?: string; missing: { worker: string; why: string }[]; votes: { workers: string[] }[] }
      }
    }
    const vote = covey?.swarm
    return {
      status: choices ? 200 : 500,
      text: choices?.[0]?.message.content.trim() ?? reply,
      missing: vote?.missing.map(({ worker }) => worker) ?? [],
      whys: vote?.missing.map(({ worker, why }) => `${worker}: ${why}`) ?? [],
      voted: vote?.votes.flatMap(({ workers }) => workers).length ?? 0,
      ...(vote?.winner !== undefined && { winner: vote.winner }),
    }
  }

  async remove(): Promise<void> {
    this.signal('SIGCONT')
    await this.quick()
    await this.kill()
    this.#model?.kill('SIGKILL')
    ip('netns', 'del', this.name)
  }

  #covey(args: readonly string[]): ChildProcess {
    return this.#spawn([...coveyProgram, ...args])
  }

  #spawn(args: readonly string[]): ChildProcess {
    const { folder } = this
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      ...this.clock,
    }
    // `exec`: signals reach the program itself.
    const command = ['netns', 'exec', this.name, process.execPath, ...args]
    return spawn(IP, command, { env, cwd: join(folder, 'work'), stdio: ['ignore', 'pipe', 'pipe'] })
  }

  async #curl(path: string, body?: string): Promise<string> {
    const data = body === undefined ? [] : ['-H', 'content-type: application/json', '-d', body]
    const words = ['netns', 'exec', this.name, 'curl', '-s', '-m', '60', ...data]
    return (await finished(spawn(IP, [...words, `http://127.0.0.1:17615${path}`]))).out
  }
}

async function finished(child: ChildProcess) {
  let out = ''
  let err = ''
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()))
  child.stderr?.on('data', (data: Buffer) => (err += data.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, out, err }
}
