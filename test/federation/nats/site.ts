/**
 * Machines that reach nothing but a NATS server: each on a network of its own whose only other end is the server, which
 * passes nothing on. They are set up with the very lines of `docs/nats.md`, typed into a shell.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeBlocks } from '../../support/docs.ts'
import { coveyProgram } from '../../support/program.ts'
import { until } from '../../support/wait.ts'
import { NamespaceMachine } from '../namespaces.ts'
import { killMachine } from '../nats-machine/order.ts'
import { certificate, PROGRAM } from './server.ts'

/** What `docs/nats.md` shows: the lines to type, and what is in the two files. */
export async function readPage() {
  const blocks = codeBlocks(await readFile(new URL('../../../docs/nats.md', import.meta.url), 'utf8'))
  const all = (kind: string) => blocks.flatMap(({ language, text }) => (language === kind ? [text] : []))
  const commands = all('sh').flatMap((text) => text.trim().split('\n'))
  return { commands, toml: all('toml')[0] ?? '', conf: all('conf')[0] ?? '' }
}

export type NatsSite = {
  readonly machines: readonly NatsMachine[]
  readonly broker: Broker
  close(): Promise<void>
}

/** `more` is added to the configuration of each machine; with `clock` each has a clock of its own, wrong by so much. */
export async function openNatsSite(
  names: readonly string[],
  more: string,
  clock?: string,
): Promise<NatsSite> {
  const tag = `cn${process.pid}`
  const folder = await mkdtemp(join(tmpdir(), 'covey-nats-'))
  await writeProgram(join(folder, 'bin'))
  const broker = new Broker(`${tag}b`, join(folder, 'broker'))
  ip('netns', 'add', broker.namespace)
  ip('-n', broker.namespace, 'link', 'set', 'lo', 'up')
  const machines = names.map((name, index) => new NatsMachine(name, { tag, folder, number: index + 1 }))
  for (const machine of machines) {
    await machine.connect(broker)
    if (clock !== undefined) await machine.inside.setClock(clock)
  }
  await setUp(machines, broker, more)
  return {
    machines,
    broker,
    async close() {
      for (const machine of machines) await machine.remove()
      await broker.kill()
      ip('netns', 'del', broker.namespace)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** From the page, line by line: on each machine, on the server, on each machine again. */
async function setUp(machines: readonly NatsMachine[], broker: Broker, more: string): Promise<void> {
  const page = await readPage()
  const [list, , startServer, readPassword, serve] = page.commands as [string, string, string, string, string]
  const ids = await Promise.all(machines.map((machine) => machine.learnId(list)))
  await broker.configure(page.conf, machines)
  await broker.start(startServer)
  for (const machine of machines) {
    await machine.configure(page.toml, { ca: broker.certificate, trusted: ids, more })
    await machine.serve(`${readPassword}\n${serve}`)
  }
}

/** `covey` as a person types it, but without a token; its process is the one that signals are for. */
async function writeProgram(folder: string): Promise<void> {
  const script = `#!/bin/sh
echo $$ > "$HOME/covey.pid"
test "$1" = serve && set -- "$@" --no-auth
exec ${[process.execPath, ...coveyProgram].map((word) => `"${word}"`).join(' ')} "$@"
`
  await mkdir(folder)
  await writeFile(join(folder, 'covey'), script, { mode: 0o755 })
}

const IP = 'ip'

export const ip = (...words: string[]): string =>
  execFileSync(IP, words, { stdio: 'pipe', timeout: 10_000 }).toString()

class Broker {
  readonly namespace: string
  readonly #folder: string
  #process: ChildProcess | undefined
  #line = ''
  certificate = ''

  constructor(namespace: string, folder: string) {
    this.namespace = namespace
    this.#folder = folder
  }

  /** As on the page, with a user for each machine and the files that are really there. */
  async configure(conf: string, machines: readonly NatsMachine[]): Promise<void> {
    const { ca, key } = await certificate(machines.map(({ gateway }) => gateway))
    const entry = /^ {4}\{\n[^]*?^ {4}\}\n/m.exec(conf)?.[0] ?? ''
    const users = machines.map(({ name, password, id }) =>
      entry
        .replace('"laptop"', () => `"${name}"`)
        .replace('PASSWORD_OF_LAPTOP', () => password)
        .replaceAll('ID_OF_LAPTOP', () => id),
    )
    const text = conf
      .replace(entry, () => users.join(''))
      .replace('/var/lib/nats', () => this.#folder)
      .replace('/etc/nats/cert.pem', () => ca)
      .replace('/etc/nats/key.pem', () => key)
    await mkdir(this.#folder)
    await writeFile(join(this.#folder, 'nats.conf'), text)
    this.certificate = ca
  }

  /** The line is remembered for the next time. */
  async start(line = this.#line): Promise<void> {
    this.#line = line
    const command = line.replace(/^nats-server/, () => PROGRAM)
    const words = ['netns', 'exec', this.namespace, 'bash', '-c', `exec ${command}`]
    this.#process = spawn(IP, words, { cwd: this.#folder, stdio: 'ignore' })
    const isListening = () => ip('netns', 'exec', this.namespace, 'ss', '-Hltn').includes(':4222 ')
    await until(isListening)
  }

  /** As `kill -9`, at once. */
  async kill(): Promise<void> {
    if (this.#process) await killMachine(this.#process)
  }
}

type AppContext = { readonly tag: string; readonly folder: string; readonly number: number }

export class NatsMachine {
  readonly name: string
  /** The server's address on the network of this machine. */
  readonly gateway: string
  readonly password: string
  /** What can be seen and asked from within. */
  readonly inside: NamespaceMachine
  readonly #bin: string
  #serving: ChildProcess | undefined
  #lines = ''
  id = ''

  constructor(name: string, { tag, folder, number }: AppContext) {
    const network = `10.${80 + number}.0`
    this.name = name
    this.gateway = `${network}.1`
    this.password = `password of ${name}`
    this.inside = new NamespaceMachine({
      name: `${tag}m${number}`,
      address: `${network}.2`,
      folder: join(folder, name),
      wire: { end: `to-${name}`, bridge: 'none' },
    })
    this.#bin = join(folder, 'bin')
  }

  async connect({ namespace }: Broker): Promise<void> {
    const { name, address, wire } = this.inside
    ip('netns', 'add', name)
    ip('link', 'add', wire.end, 'netns', namespace, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('-n', namespace, 'addr', 'add', `${this.gateway}/24`, 'dev', wire.end)
    ip('-n', namespace, 'link', 'set', wire.end, 'up')
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
    await this.inside.prepare('')
  }

  async learnId(line: string): Promise<string> {
    let said = ''
    const shell = this.#type(line)
    shell.stdout?.on('data', (data: Buffer) => (said += data.toString()))
    await new Promise((resolve) => shell.on('close', resolve))
    this.id = /[0-9a-f]{64}/.exec(said)?.[0] ?? ''
    return this.id
  }

  /** As on the page, for this machine, and with the model it has. */
  async configure(
    toml: string,
    {
      ca,
      trusted,
      more,
    }: { readonly ca: string; readonly trusted: readonly string[]; readonly more: string },
  ): Promise<void> {
    const others = trusted.filter((id) => id !== this.id)
    const text = toml
      .replace('nats.example.org', this.gateway)
      .replace('"laptop"', `"${this.name}"`)
      .replace(/trusted = .*/, `trusted = ${JSON.stringify(others)}\nca = "${ca}"`)
    const own = `[federation]\nname = "${this.name}"`
    const path = join(this.inside.folder, 'config', 'covey', 'config.toml')
    await writeFile(path, `${text.replace('[federation]', own)}${more}\n${ARM}`)
  }

  /** Done when it is ready, with what it printed; the lines are remembered for the next time. */
  async serve(lines = this.#lines): Promise<string> {
    this.#lines = lines
    const shell = this.#type(lines)
    this.#serving = shell
    shell.stdin?.end(`${this.password}\n`)
    let said = ''
    let banner = ''
    shell.stderr?.on('data', (data: Buffer) => (said += data.toString()))
    return new Promise<string>((resolve, reject) => {
      shell.stdout?.on('data', (data: Buffer) => {
        banner += data.toString()
        if (banner.includes('Ctrl+C')) resolve(banner)
      })
      shell.on('close', (code) => reject(new Error(`${lines} ended with ${code}: ${said}`)))
    })
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    process.kill(Number(await readFile(join(this.inside.folder, 'covey.pid'), 'utf8')), name)
  }

  isRunning(): boolean {
    return this.#serving?.exitCode === null && this.#serving.signalCode === null
  }

  async kill(): Promise<void> {
    const shell = this.#serving
    if (!shell || !this.isRunning()) return
    const closed = new Promise((resolve) => shell.once('close', resolve))
    await this.signal('SIGKILL')
    await closed
  }

  async remove(): Promise<void> {
    await this.kill()
    await this.inside.remove()
  }

  #type(lines: string): ChildProcess {
    const { folder, name, clock } = this.inside
    const env = {
      PATH: `${this.#bin}:${process.env['PATH']}`,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      ...clock,
    }
    return spawn(IP, ['netns', 'exec', name, 'bash', '-c', lines], { env, cwd: join(folder, 'work') })
  }
}

const ARM = `
[arms.m]
base_url = "http://127.0.0.1:9000/v1"
window = 8192
`
