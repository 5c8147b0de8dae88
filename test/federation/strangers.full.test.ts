/**
 * A thousand requests over real connections from unauthorized clients: broken TLS, no key, an unknown key, a key of
 * another kind, a resumed session, HTTP of every sort, a peer that gets it wrong, and pairings that prove nothing.
 */
import { createPrivateKey, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ask, askJson, dial } from '../../src/federation/dial.ts'
import type { Identity } from '../../src/federation/identity.ts'
import { fromSecret } from '../../src/federation/invites.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL, type Pairing, proofOf } from '../../src/federation/proof.ts'
import { invite, joinWith, NEVER, startMachine, tempFolder, type TestMachine } from './machines.ts'
import { runs } from '../support/runs.ts'
import { until } from '../support/wait.ts'
import {
  damage,
  damaged,
  generateBody,
  inParallel,
  noGreeting,
  wrongBody,
  wrongHttp,
} from './wrong-requests.ts'

const REQUESTS = runs(300, 800)
const PAIRINGS = runs(60, 200)
const LANES = 32
/** Of the whole process, client and all, after a garbage collection. */
const MOST_GROWN = 32 * 2 ** 20
const MINUTE = 60_000

test('hundreds of requests of strangers learn a version at most, and change nothing', async () => {
  const machine = await startMachine()
  const keys = await keysFor(machine)
  const open = await invite(machine)
  const scene = { machine, keys, hello: await greeting(keys.stranger) }
  const before = await measure(machine)
  let told = 0

  await inParallel(fc.sample(incoming, REQUESTS), LANES, async (one) => {
    const said = await send(one, scene)
    if (!allowed[one.kind].test(said)) throw new Error(`${JSON.stringify(one)} got ${JSON.stringify(said)}`)
    if (said.startsWith('HTTP')) told += 1
  })

  await until(() => connections() <= before.connections)
  const after = await measure(machine)
  expect(after.state).toEqual(before.state)
  expect(after.bytes - before.bytes).toBeLessThan(MOST_GROWN)
  expect(told).toBeGreaterThan(REQUESTS / 5)
  await expectToServe(machine, keys.peer)
  await joinWith(await startMachine(), open)
  expect(await machine.files.book.list()).toHaveLength(2)
})

test('dozens of pairings that prove nothing: none is accepted, and the right one still is', async () => {
  let clock = Date.now()
  const machine = await startMachine({ now: () => clock })
  const { peer, stranger } = await keysFor(machine)
  const [used, expired] = [await machine.files.invites.create(), await machine.files.invites.create()]
  const accepted = await prepare(machine, peer, used)
  expect(await accepted.send(accepted.right)).toMatchObject({ status: 200 })
  clock += 11 * MINUTE
  const { state: before, bytes } = await measure(machine)

  let open: Uint8Array = expired
  for (const { fault, name, noise } of fc.sample(wrongPairing, PAIRINGS)) {
    // Otherwise all but the first few are turned away unread.
    clock += MINUTE
    open = await machine.files.invites.create()
    const elsewhere = await prepare(machine, stranger, open)
    const { pairing, right, send } = await prepare(machine, stranger, open)
    const wrong = faults[fault]?.({ pairing, elsewhere, used, expired, accepted: accepted.right, noise })
    elsewhere.end()

    const answered = await send({ ...right, name, ...wrong })

    const status = fault === 'another version' ? 409 : 403
    expect({ fault, ...answered }).toEqual({ fault, status, body: { version: 1 } })
  }

  const after = await measure(machine)
  expect({ ...after.state, invites: '' }).toEqual({ ...before, invites: '' })
  expect(after.bytes - bytes).toBeLessThan(MOST_GROWN)
  expect(after.state.invites.length).toBeLessThan(20_000)
  clock += MINUTE
  const last = await prepare(machine, stranger, open)
  expect(await last.send(last.right)).toMatchObject({ status: 200 })
  await expectToServe(machine, peer)
})

type Ask = { readonly version: number; readonly tag: string; readonly name: string; readonly proof: string }

/** A connection on which one could pair, with what is right to say there. */
async function prepare({ address, lan }: TestMachine, identity: Identity, secret: Uint8Array) {
  const socket = await dial({ identity, address, expected: lan.id, timeoutMs: 5_000 }, NEVER)
  const { tag, key } = fromSecret(secret)
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0))
  const pairing: Pairing = { key, joiner: identity.id, inviter: lan.id, exporter }
  const right: Ask = { version: 1, tag, name: 'joiner', proof: proofOf('joiner', pairing) }
  return {
    pairing,
    right,
    send: (body: unknown) => askJson(socket, { path: '/pair', body }, 5_000),
    end: () => void socket.destroy(),
  }
}

type Wrongly = {
  readonly pairing: Pairing
  /** The same on another connection. */
  readonly elsewhere: { readonly pairing: Pairing }
  readonly used: Uint8Array
  readonly expired: Uint8Array
  readonly accepted: Ask
  readonly noise: Uint8Array
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** What is said instead of the right thing. */
const faults: Readonly<Record<string, (wrongly: Wrongly) => object>> = {
  'a proof of another connection': ({ elsewhere }) => ({ proof: proofOf('joiner', elsewhere.pairing) }),
  'a proof of another machine': ({ pairing, noise }) => ({
    proof: proofOf('joiner', { ...pairing, joiner: hex(noise) }),
  }),
  'a proof for another machine': ({ pairing, noise }) => ({
    proof: proofOf('joiner', { ...pairing, inviter: hex(noise) }),
  }),
  'the proof of the other side': ({ pairing }) => ({ proof: proofOf('inviter', pairing) }),
  'a proof with another secret': ({ pairing, noise }) => ({
    proof: proofOf('joiner', { ...pairing, key: noise }),
  }),
  'no proof': ({ noise }) => ({ proof: hex(noise) }),
  'an unknown invitation': ({ noise }) => ({ tag: hex(noise).slice(0, 16) }),
  'a used invitation': ({ pairing, used }) => askWith(pairing, used),
  'an expired invitation': ({ pairing, expired }) => askWith(pairing, expired),
  'what was accepted before': ({ accepted }) => accepted,
  'another version': ({ noise }) => ({ version: 2 + (noise[0] ?? 0) }),
  'a field too many': () => ({ scopes: ['tools'] }),
  'a name without an end': () => ({ name: 'a'.repeat(5_000) }),
  'a port that there is not': () => ({ port: 65_536 }),
}

const askWith = (pairing: Pairing, secret: Uint8Array) => {
  const { tag, key } = fromSecret(secret)
  return { tag, proof: proofOf('joiner', { ...pairing, key }) }
}

const wrongPairing = fc.record({
  fault: fc.constantFrom(...Object.keys(faults)),
  name: fc.string({ maxLength: 60 }),
  noise: fc.uint8Array({ minLength: 32, maxLength: 32 }),
})

/** One who is not to be heard, and what it sends. */
const incoming = fc.oneof(
  fc.record({ kind: fc.constant('no TLS' as const), bytes: noGreeting }),
  fc.record({ kind: fc.constant('broken TLS' as const), damage }),
  fc.record({ kind: fc.constant('old TLS' as const) }),
  fc.record({
    kind: fc.constant('wrong pin' as const),
    pin: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('no key' as const), text: wrongHttp }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('unknown key' as const), text: wrongHttp }) },
  fc.record({ kind: fc.constant('key of another kind' as const), text: wrongHttp }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resumed session' as const), text: wrongHttp }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('peer' as const), question: wrongBody }) },
)
type KnockOf = typeof incoming extends fc.Arbitrary<infer Value> ? Value : never

type Keys = {
  readonly peer: Identity
  readonly stranger: Identity
  readonly ofAnotherKind: Pick<Identity, 'key' | 'certificate'>
  /** Of a connection of the peer, if one could be had. */
  readonly session: Buffer | undefined
}

type Scene = { readonly machine: TestMachine; readonly keys: Keys; readonly hello: Buffer }

/** The complete allowed answer, to the last byte. */
const versionWith = (statuses: string): string =>
  `HTTP/1\\.1 (?:${statuses}) [A-Za-z ]+\r\n` +
  'connection: close\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n(?:\\{"version":1\\})?'

const NOTHING = /^$/
const RECORDS = /^(?:[\x14-\x17]\x03.*)?$/s
const VERSION = new RegExp(`^(?:${versionWith('403|409')})?$`)

const allowed: Readonly<Record<KnockOf['kind'], RegExp>> = {
  'no TLS': RECORDS,
  'broken TLS': RECORDS,
  'old TLS': NOTHING,
  'wrong pin': NOTHING,
  'no key': VERSION,
  'unknown key': VERSION,
  'key of another kind': VERSION,
  'resumed session': VERSION,
  peer: new RegExp(`^${versionWith('400|403|409|429')}$`),
}

/** All that comes back. */
function send(one: KnockOf, { machine, keys, hello }: Scene): Promise<string> {
  const { port } = machine
  switch (one.kind) {
    case 'no TLS':
      return talk(connectTcp(port, '127.0.0.1'), one.bytes)
    case 'broken TLS':
      return talk(connectTcp(port, '127.0.0.1'), damaged(hello, one.damage))
    case 'old TLS':
      return talkTls(port, { ...keys.stranger, maxVersion: 'TLSv1.2' }, 'POST')
    case 'wrong pin':
      return dialWrongly(machine, keys.peer, hex(one.pin))
    case 'no key':
      return talkTls(port, {}, one.text)
    case 'unknown key':
      return talkTls(port, keys.stranger, one.text)
    case 'key of another kind':
      return talkTls(port, keys.ofAnotherKind, one.text)
    case 'resumed session':
      return talkTls(port, keys.session ? { session: keys.session } : {}, one.text)
    case 'peer':
      return talkTls(port, keys.peer, toHttp(one.question))
  }
}

const toHttp = ([path, body]: readonly [string, unknown]): string => {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  return `POST ${path || '/'} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${text}`
}

type Shown = Partial<Pick<Identity, 'key' | 'certificate'>> &
  Pick<ConnectionOptions, 'maxVersion' | 'session'>

const talkTls = (
  port: number,
  { certificate, ...shown }: Shown,
  text: string | Uint8Array,
): Promise<string> =>
  talk(
    connectTls({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...shown,
      ...(certificate !== undefined && { cert: certificate }),
    }),
    text,
  )

/** All that comes back until the other end hangs up; one that does not is a failure of its own. */
function talk(socket: Socket, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`the server did not hang up on ${JSON.stringify(bytes)}`)),
      20_000,
    )
    let said = ''
    socket.on('data', (data: Buffer) => (said += data.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(said)
    })
    socket.end(bytes)
  })
}

/** A client that expects another key says nothing. */
async function dialWrongly(
  { address, lan }: TestMachine,
  identity: Identity,
  expected: string,
): Promise<string> {
  const dialled = dial({ identity, address, expected, timeoutMs: 5_000 }, NEVER)
  await expect(dialled).rejects.toThrow(`${lan.id.slice(0, 8)} answers there, not ${expected.slice(0, 8)}`)
  return ''
}

async function keysFor(machine: TestMachine): Promise<Keys> {
  const peer = await lanFiles(await tempFolder()).identity()
  await machine.files.book.add({ id: peer.id, name: 'peer', addresses: [] })
  await machine.lan.look()
  return {
    peer,
    stranger: await lanFiles(await tempFolder()).identity(),
    ofAnotherKind: await makeOtherKey(),
    session: await sessionOf(machine, peer),
  }
}

async function makeOtherKey(): Promise<Keys['ofAnotherKind']> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: 'CN=covey', keys, signingAlgorithm: algorithm },
    webcrypto,
  )
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return {
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
    certificate: certificate.toString('pem'),
  }
}

/** What a connection of the peer leaves behind for the next one, if anything. */
async function sessionOf({ port }: TestMachine, { key, certificate }: Identity): Promise<Buffer | undefined> {
  const socket = connectTls({ port, host: '127.0.0.1', key, cert: certificate, rejectUnauthorized: false })
  let session: Buffer | undefined
  socket.on('session', (data: Buffer) => (session = data))
  await talk(socket, 'POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n')
  return session
}

/** The first thing a machine says that wants to talk TLS. */
async function greeting({ key, certificate }: Identity): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const caller = connectTls({ port, host: '127.0.0.1', key, cert: certificate, rejectUnauthorized: false })
  caller.on('error', () => {})
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  caller.destroy()
  socket.destroy()
  server.close()
  return bytes
}

/** What a stranger could have changed. */
async function measure({ folder, asked, lan }: TestMachine) {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  const state = {
    peers: await readFile(join(folder, 'peers.json'), 'utf8'),
    invites: await readFile(join(folder, 'invites.json'), 'utf8'),
    machines: lan.machines().map(({ id }) => id),
    asked: asked.length,
  }
  return { state, connections: connections(), bytes: heapUsed + external }
}

const connections = () =>
  process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap/.test(name)).length

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

async function expectToServe({ address, lan, asked }: TestMachine, identity: Identity): Promise<void> {
  const dialling = { identity, address, expected: lan.id, timeoutMs: 5_000 }
  const report = await askJson(await dial(dialling, NEVER), { path: '/report', body: { version: 1 } }, 5_000)
  const response = await ask(await dial(dialling, NEVER), { path: '/generate', body: generateBody }, NEVER)
  const answer = await text(response)

  expect(report).toMatchObject({ status: 200, body: { report: { name: 'same' } } })
  expect(answer).toContain('{"event":{"type":"finish","reason":"stop"}}')
  expect(asked).toHaveLength(1)
}
