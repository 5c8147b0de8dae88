/**
 * A real NATS server in a folder of its own, and machines on it; tests are skipped where there is none, and say why.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import 'reflect-metadata'
import { connect as connectNats, type NatsConnection } from '@nats-io/transport-node'
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../../src/lib/log.ts'
import type { Identity } from '../../../src/federation/identity.ts'
import type { Machine, Offer } from '../../../src/federation/machine.ts'
import {
  type NatsIntervals,
  type NatsOptions,
  type NatsTransport,
  openNats,
} from '../../../src/federation/nats/open.ts'
import { natsUser } from '../../../src/federation/nats/names.ts'
import type { Model, ModelEvent, ModelRequest } from '../../../src/protocol/model.ts'
import { tempProject } from '../../support/project.ts'
import { until } from '../../support/wait.ts'
import { hear, questionOf } from '../machines.ts'

/** Another one than the system's: COVEY_NATS_SERVER names its program. */
export const PROGRAM = process.env['COVEY_NATS_SERVER'] ?? '/usr/sbin/nats-server'

/** Why there is none. */
export const missing = ((): string | undefined => {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return `there is no ${PROGRAM}`
  }
})()

export const named = (title: string): string =>
  missing === undefined ? title : `${title} (skipped: ${missing})`

export type NatsUser = { readonly name: string; readonly password: string; readonly id?: string }

export type RealServer = {
  readonly url: string
  /** As `kill -9`, at once. */
  kill(): Promise<void>
  /** Again, on the same port and with what is on the disk. */
  start(): Promise<void>
  /** All it kept is lost. */
  wipe(): Promise<void>
}

/** Without users anybody may do anything; a user with an id may do what that machine needs. */
export async function startNats(users: readonly NatsUser[] = [], more = ''): Promise<RealServer> {
  const folder = await tempProject()
  const file = join(folder, 'nats.conf')
  let port = 0
  let child: ChildProcess | undefined
  const start = async () => (child = await listening(file, port))
  await until(async () => {
    port = await freePort()
    await writeFile(file, `${configuration({ folder, port, users })}${more}\n`)
    return start().then(
      () => true,
      (error: unknown) => {
        // Another program was quicker.
        if (/address already in use/.test(String(error))) return false
        throw error
      },
    )
  })
  return {
    url: `nats://127.0.0.1:${port}`,
    start: async () => void (await start()),
    wipe: () => rm(join(folder, 'jetstream'), { recursive: true, force: true }),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

type Setting = { readonly folder: string; readonly port: number; readonly users: readonly NatsUser[] }

function configuration({ folder, port, users }: Setting): string {
  const entries = users.map(({ name, password, id }) =>
    id === undefined
      ? `{ user: "${name}", password: "${password}" }`
      : natsUser({ prefix: 'covey', id, user: name, password }),
  )
  const lines = ['host: 127.0.0.1', `port: ${port}`, `jetstream { store_dir: "${folder}" }`]
  if (entries.length > 0) lines.push(`authorization { users: [\n${entries.join('\n')}\n] }`)
  return `${lines.join('\n')}\n`
}

/** Fails where it ends before it listens: another answer on that port would be one of another program. */
async function listening(file: string, port: number): Promise<ChildProcess> {
  const child = spawn(PROGRAM, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data: Buffer) => (said += data.toString()))
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}: ${said}`)
    return /Server is ready/.test(said) && (await answers(port))
  })
  return child
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export function newIdentity(): Pick<Identity, 'id' | 'key'> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return {
    id: createHash('sha256').update(der).digest('hex'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** A server that goes with the test. */
export async function newServer(...settings: Parameters<typeof startNats>): Promise<RealServer> {
  const server = await startNats(...settings)
  onTestFinished(server.kill)
  return server
}

/** A machine on it that goes with the test. */
export async function open(
  options: Omit<NatsOptions, 'log'> & Partial<Pick<NatsOptions, 'log'>>,
): Promise<NatsTransport> {
  const transport = await openNats({ intervals: fast, log: silent, ...options })
  onTestFinished(transport.close)
  return transport
}

/** A client of the server that is not a machine; a user's password is its name. */
export async function dial(url: string, user?: string): Promise<NatsConnection> {
  const credentials = user === undefined ? {} : { user, pass: user }
  const connection = await connectNats({ servers: url, ...credentials })
  onTestFinished(() => connection.close())
  return connection
}

/** Fifty times faster than life. */
export const fast: NatsIntervals = {
  refreshMs: 200,
  goneMs: 3_000,
  ackWaitMs: 1_000,
  // Longer than a test may wait for something to come true: what is said to happen at once did not wait for these.
  deadlineMs: 110_000,
  firstTokenMs: 110_000,
  beatMs: 100,
  desertedMs: 5_000,
  lookMs: 300,
}

export const silent = silentLogger

export const asked = ({ messages }: ModelRequest): string => messages.at(-1)?.text ?? ''

export const offerOf = (answer: Offer['answer'], models: readonly string[] = ['small']): Offer => ({
  report: () => ({
    name: 'unused',
    waiting: 0,
    running: 0,
    freeMemory: 0,
    models: models.map((id) => ({ id, window: 4096, vision: false })),
  }),
  answer,
})

export const node = (name: string, identity = newIdentity()) => ({ name, identity })

export const machineOf = ({ machines }: NatsTransport, name: string): Machine =>
  machines().find((other) => other.name === name)!

export const collect = (model: Model, text: string): Promise<ModelEvent[]> => hear(model, questionOf(text))

export const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

export async function failure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { code: string; message: string }
  return { code: error.code, message: error.message }
}

/** Says what it was asked, word by word. */
export async function* echo(_model: string, request: ModelRequest): AsyncIterable<ModelEvent> {
  for (const word of asked(request).split(/(?<= )/)) yield { type: 'text-delta', text: word }
  yield { type: 'usage', usage: { prompt: 1, completion: 1 } }
  yield { type: 'finish', reason: 'stop' }
}

/** One that a server shows at these addresses, and that is its own authority. */
export async function certificate(
  addresses: readonly string[],
  { from, to }: { readonly from: string; readonly to: string } = { from: '2000-01-01', to: '2999-01-01' },
) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=test',
    notBefore: new Date(from),
    notAfter: new Date(to),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(addresses.map((value) => ({ type: 'ip', value })))],
  })
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const folder = await tempProject({
    'cert.pem': made.toString('pem'),
    'key.pem': `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`,
  })
  return { ca: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
}
