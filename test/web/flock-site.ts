/** Machines that vote with the server under test: two in network namespaces, or one at a NATS server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NamespaceMachine, openSite } from '../federation/namespaces.ts'
import { Ends } from '../../src/lib/ends.ts'
import { coveyProgram } from '../support/program.ts'
import { until } from '../support/wait.ts'
import { openServed, type Served } from './served.ts'

const SLOW_MODEL = fileURLToPath(new URL('../federation/slow-model.mjs', import.meta.url))
const NATS = process.env['COVEY_NATS_SERVER'] ?? '/usr/sbin/nats-server'

export const whyNoNats = (): string | undefined =>
  spawnSync(NATS, ['--version']).status === 0 ? undefined : `there is no ${NATS}`

/** Faster than life, and everybody has to be heard before anybody wins. */
const SWARM = `
[swarm]
mode = "always"
workers = 3
most = 3
ahead = 3
rounds = 1
deadline_s = 20
`
const LAN = `health_s = 0.5\ngone_s = 4\nstall_s = 3\n${SWARM}`

/** Another one than in the tests of `test/federation` that run at the same time. */
const NETWORK = '10.78.0'

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** An answer of five words, with so long a pause before each. */
async function slowModel(
  pauseMs: number,
): Promise<{ readonly args: readonly string[]; readonly child: ChildProcess }> {
  const port = await freePort()
  const child = spawn(process.execPath, [SLOW_MODEL, String(port), String(pauseMs)], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/v1`
  await until(async () =>
    fetch(`${url}/models`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return { child, args: ['--base-url', url, '--model', 'm', '--window', '8192', '--no-probe'] }
}

/** `covey tools serve` in a folder of its own. */
export async function openToolServer() {
  const root = await mkdtemp(join(tmpdir(), 'covey-tools-'))
  await writeFile(join(root, 'there.txt'), 'x')
  const env = { PATH: process.env['PATH'], HOME: root, XDG_DATA_HOME: join(root, 'data'), LANG: 'C.UTF-8' }
  const port = await freePort()
  const words = [...coveyProgram, 'tools', 'serve', '--port', String(port)]
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  child.stdout.on('data', (data: Buffer) => (said += data.toString()))
  child.stderr.on('data', (data: Buffer) => (said += data.toString()))
  await until(() => /COVEY_TOOL_HOST__TOKEN=\S+/.test(said) || child.exitCode !== null)
  const token = /COVEY_TOOL_HOST__TOKEN=(\S+)/.exec(said)?.[1]
  if (token === undefined) throw new Error(`covey tools serve ended: ${said}`)
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    stop,
    async close() {
      await stop()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type LanFlock = {
  readonly served: Served
  readonly machines: readonly NamespaceMachine[]
  close(): Promise<void>
}

/** The server under test stands on the bridge between the namespaces, as one more machine. */
export async function openLanFlock(): Promise<LanFlock> {
  const ends = new Ends()
  try {
    const site = await openSite(2, LAN, NETWORK)
    ends.add(() => site.close())
    site.attach()
    const { child, args } = await slowModel(500)
    ends.add(async () => void child.kill('SIGKILL'))
    const served = await openServed({
      config: `[federation]\nname = "laptop"\n${LAN}`,
      args: ['--federation', '--host', `${NETWORK}.254`, ...args],
    })
    ends.add(() => served.close())
    await Promise.all(site.machines.map((machine) => machine.serve()))
    for (const machine of site.machines) await pair(served, machine)
    return { served, machines: site.machines, close: () => ends.run() }
  } catch (error) {
    // A bridge that is left behind takes the addresses of the next one.
    await ends.run()
    throw error
  }
}

async function pair(served: Served, machine: NamespaceMachine): Promise<void> {
  const { out } = await served.covey('peers', 'invite')
  const joined = await machine.run(['peers', 'join', out.trim()])
  if (joined.code !== 0) throw new Error(`not paired: ${joined.err}`)
}

export type NatsFlock = { readonly served: Served; readonly other: Served; close(): Promise<void> }

export async function openNatsFlock(): Promise<NatsFlock> {
  const port = await freePort()
  const model = await slowModel(100)
  const natsUrl = `nats://127.0.0.1:${port}`
  const named = (name: string) => ({
    config: `[federation]\nname = "${name}"\n`,
    args: ['--nats', natsUrl, ...model.args],
  })
  const folder = join(process.env['TMPDIR'] ?? '/tmp', `covey-nats-${process.pid}`)
  const nats = spawn(NATS, ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', folder], { stdio: 'ignore' })
  const served = await openServed(named('laptop'))
  const other = await openServed(named('tower'))
  const trust = async (one: Served, name: string, friend: Served): Promise<void> => {
    const { out } = await friend.covey('peers')
    const id = /this machine is (\S+)/.exec(out)?.[1] ?? ''
    const text = `[federation]\nname = "${name}"\n[federation.nats]\ntrusted = ["${id}"]\n${SWARM}`
    await writeFile(join(one.env['XDG_CONFIG_HOME'] ?? '', 'covey', 'config.toml'), text)
  }
  await trust(served, 'laptop', other)
  await trust(other, 'tower', served)
  await Promise.all([served.restart(), other.restart()])
  return {
    served,
    other,
    async close() {
      await Promise.all([served.close(), other.close()])
      nats.kill('SIGKILL')
      model.child.kill('SIGKILL')
      spawnSync('rm', ['-rf', folder])
    },
  }
}
