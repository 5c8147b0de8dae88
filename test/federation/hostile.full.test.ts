/**
 * Two machines in network namespaces, and a third on their network that is hostile: it replays and reorders what it
 * saw, offers older versions, shows certificates with other dates, asks for more than it may, floods, lies in its
 * names and announces false addresses. The two must go on answering each other all the while.
 */
import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { askJson, dial } from '../../src/federation/dial.ts'
import type { Identity } from '../../src/federation/identity.ts'
import { readInviteCode } from '../../src/federation/invite-code.ts'
import { joinPeer } from '../../src/federation/join.ts'
import { lanFiles } from '../../src/federation/lan/open.ts'
import { usualTiming } from '../../src/federation/timing.ts'
import { NEVER } from './machines.ts'
import { until } from '../support/wait.ts'
import { type NamespaceMachine, openSite, type Site, whyNoNamespaces } from './namespaces.ts'
import { generateBody } from './wrong-requests.ts'

const CONFIG = `health_s = 0.5
gone_s = 4
stall_s = 3

[swarm]
mode = "always"
workers = 2
most = 2
ahead = 2
rounds = 1
deadline_s = 12
`
const PORT = 17_617
const HOSTILE_NAME = 'evil\u001b[2J\u202e<script>alert(1)</script>'
const missing = whyNoNamespaces()

describe.skipIf(missing !== undefined)(
  `a hostile machine on the network${missing ? ` (${missing})` : ''}`,
  () => {
    let site: Site
    let one: NamespaceMachine
    let two: NamespaceMachine
    let folder: string
    /** Paired with the first machine, under a name that is no name. */
    let paired: Identity
    let stranger: Identity
    let expected: string

    beforeAll(async () => {
      site = await openSite(2, CONFIG)
      site.attach()
      ;[one, two] = site.machines as [NamespaceMachine, NamespaceMachine]
      await Promise.all([one.serve(), two.serve()])
      const invited = async () => (await one.run(['peers', 'invite'])).out.trim()
      await two.run(['peers', 'join', await invited()])
      folder = await mkdtemp(join(tmpdir(), 'covey-hostile-'))
      const files = lanFiles(join(folder, 'paired'))
      paired = await files.identity()
      stranger = await lanFiles(join(folder, 'stranger')).identity()
      const parts = { identity: paired, name: HOSTILE_NAME, book: files.book, timing: usualTiming }
      expected = (await joinPeer(readInviteCode(await invited()), parts, NEVER)).id
      await until(async () => (await one.here()) === 1)
    }, 300_000)

    afterAll(async () => {
      await site.close()
      await rm(folder, { recursive: true, force: true })
    })

    /** Whatever was tried, both machines vote. */
    afterEach(async () => {
      await until(async () => (await one.here()) === 1)
      expect(await one.chat('covey/swarm')).toMatchObject({
        status: 200,
        text: 'The answer is 42 .',
        voted: 2,
      })
    })

    const address = () => `${one.address}:${PORT}`
    const ask = async (identity: Identity, path: string, body: unknown) =>
      askJson(
        await dial({ identity, address: address(), expected, timeoutMs: 5_000 }, NEVER),
        { path, body },
        5_000,
      )

    const connected = (options: ConnectionOptions) => {
      const socket = connectTls({ host: one.address, port: PORT, rejectUnauthorized: false, ...options })
      onTestFinished(() => void socket.destroy())
      return socket.on('error', () => {})
    }

    test('that sends again what a paired machine sent gets no answer', async () => {
      const seen: Buffer[] = []
      const proxy = await proxyTo(one.address, (data) => {
        seen.push(data)
        return [data]
      })
      const place = { identity: paired, address: `127.0.0.1:${proxy}`, expected, timeoutMs: 5_000 }
      const answered = await askJson(
        await dial(place, NEVER),
        { path: '/report', body: { version: 1 } },
        5_000,
      )

      const again = connectTcp({ host: one.address, port: PORT }).on('error', () => {})
      const heard: Buffer[] = []
      again.on('data', (data: Buffer) => heard.push(data))
      again.write(Buffer.concat(seen))
      await once(again, 'close')

      expect(answered.status).toBe(200)
      // A hello of TLS, and nothing that belongs to a request: it has not the key of this connection.
      expect(Buffer.concat(heard).length).toBeLessThan(2_000)
    })

    test('that changes the order of what a paired machine sent breaks that connection only', async () => {
      let held: Buffer | undefined
      let count = 0
      const proxy = await proxyTo(one.address, (data) => {
        count += 1
        if (count === 1) return [data]
        if (!held) {
          held = data
          return []
        }
        const swapped = [data, held]
        held = undefined
        return swapped
      })
      const place = { identity: paired, address: `127.0.0.1:${proxy}`, expected, timeoutMs: 2_000 }

      const asked = dial(place, NEVER).then((socket) =>
        askJson(socket, { path: '/report', body: { version: 1, port: 1 } }, 2_000),
      )

      await expect(asked).rejects.toMatchObject({ code: 'model-unavailable' })
    })

    test.each(['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const)(
      'that offers %s is not talked to',
      async (version) => {
        const socket = connected({
          key: paired.key,
          cert: paired.certificate,
          minVersion: 'TLSv1',
          maxVersion: version,
        })
        const isSecure = await new Promise<boolean>((resolve) => {
          socket.once('secureConnect', () => resolve(true))
          socket.once('close', () => resolve(false))
        })

        expect(isSecure).toBe(false)
      },
    )

    test.each([0, 2, -1, 1e9, '1', null])('that speaks version %s gets only ours', async (version) => {
      expect(await ask(paired, '/report', { version })).toEqual({ status: 409, body: { version: 1 } })
      expect(await ask(stranger, '/report', { version })).toEqual({ status: 403, body: { version: 1 } })
    })

    test.each([
      ['expired', '2001-01-01', '2002-01-01'],
      ['not valid yet', '2090-01-01', '2091-01-01'],
    ])('whose certificate is %s is known by its key alone', async (_, from, to) => {
      const known = { ...paired, certificate: await dated(paired, from, to) }
      const unknown = { ...stranger, certificate: await dated(stranger, from, to) }

      expect((await ask(known, '/report', { version: 1 })).status).toBe(200)
      expect((await ask(unknown, '/report', { version: 1 })).status).toBe(403)
    })

    test('that shows the certificate of another machine without its key is not accepted', async () => {
      const socket = connected({ key: stranger.key, cert: stranger.certificate })
      await once(socket, 'secureConnect')
      socket.destroy()

      const failed = await new Promise<boolean>((resolve) => {
        try {
          connected({ key: stranger.key, cert: paired.certificate }).once('close', () => resolve(true))
        } catch {
          resolve(true)
        }
      })

      expect(failed).toBe(true)
    })

    test('gets no more than its scopes, from the moment they change', async () => {
      const { id } = paired
      expect((await ask(paired, '/report', { version: 1 })).status).toBe(200)

      await one.run(['peers', 'scope', id.slice(0, 12), 'status'])
      const asked = await ask(paired, '/generate', generateBody)
      await one.run(['peers', 'scope', id.slice(0, 12), 'tools'])
      const looked = await ask(paired, '/report', { version: 1 })
      await one.run(['peers', 'scope', id.slice(0, 12), 'generate,status'])

      expect([asked, looked]).toEqual([
        { status: 403, body: { version: 1 } },
        { status: 403, body: { version: 1 } },
      ])
      expect((await ask(paired, '/report', { version: 1 })).status).toBe(200)
    })

    test('whose name is a program for terminals and pages is shown as one line of text', async () => {
      const { out } = await one.run(['peers'])
      const { out: json } = await one.run(['peers', '--json'])

      const line = out.split('\n').find((text) => text.includes('evil')) ?? ''
      expect(line).toContain('evil')
      expect(`${out}${json}`).not.toMatch(/[\u001b\u202e\u0080-\u009f]/)
    })

    test('that begins 512 pairings and ends none has a small share of the connections', async () => {
      const { key, certificate: cert } = stranger
      const flood = Array.from({ length: 512 }, () => {
        const socket = connected({ key, cert })
        return socket.once('secureConnect', () =>
          socket.write('POST /pair HTTP/1.1\r\nhost: x\r\ncontent-length: 300\r\n\r\n{"version":1,'),
        )
      })
      await until(() => flood.filter(({ destroyed }) => !destroyed).length <= 48)

      const during = await one.chat('covey/swarm')
      await until(() => flood.every(({ destroyed }) => destroyed))

      expect(during).toMatchObject({ status: 200, voted: 2 })
    })

    test('that guesses at invitations does not stop a pairing', async () => {
      const guess = (index: number) => ({
        version: 1,
        tag: index.toString(16).padStart(16, '0'),
        name: 'x',
        proof: '0'.repeat(64),
      })
      const answers = []
      for (let index = 0; index < 30; index++)
        answers.push((await ask(stranger, '/pair', guess(index))).status)
      const { out } = await one.run(['peers', 'invite'])
      const joined = await two.run(['peers', 'join', out.trim()])

      expect(new Set(answers)).toEqual(new Set([403]))
      expect(joined.code).toBe(0)
    })

    test('that announces a machine at false addresses does not hide it', async () => {
      const { id } = await lanFiles(join(two.folder, 'data', 'covey')).identity()
      const socket = createSocket({ type: 'udp4', reuseAddr: true })
      onTestFinished(() => void socket.close())
      await new Promise<void>((resolve) => socket.bind(0, '10.79.0.254', resolve))
      socket.setMulticastInterface('10.79.0.254')
      for (let index = 0; index < 200; index++) {
        const packet = announcement(id.slice(0, 16), `10.79.0.${100 + (index % 100)}`, 20_000 + index)
        await new Promise((resolve) => socket.send(packet, 5353, '224.0.0.251', resolve))
      }
      await two.kill()
      await until(async () => (await one.here()) === 0)
      await two.serve()

      await until(async () => (await one.here()) === 1)
    })
  },
)

/** A port here that leads to a machine; what a client sends passes through `change`. */
async function proxyTo(host: string, change: (data: Buffer) => readonly Buffer[]): Promise<number> {
  const server = createServer((near: Socket) => {
    const far = connectTcp({ host, port: PORT })
    near.on('data', (data: Buffer) => change(data).forEach((part) => far.write(part)))
    far.on('data', (data: Buffer) => near.write(data))
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {}).on('close', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The same key in a certificate with these dates. */
async function dated({ key }: Identity, from: string, to: string): Promise<string> {
  const algorithm = { name: 'Ed25519' }
  const der = (kind: 'pkcs8' | 'spki') =>
    kind === 'pkcs8'
      ? createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
      : createPublicKey(key).export({ type: 'spki', format: 'der' })
  const keys = {
    privateKey: await webcrypto.subtle.importKey('pkcs8', der('pkcs8'), algorithm, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', der('spki'), algorithm, true, ['verify']),
  }
  const dates = { notBefore: new Date(from), notAfter: new Date(to) }
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { serialNumber: '01', name: 'CN=covey', ...dates, keys, signingAlgorithm: algorithm },
    webcrypto,
  )
  return certificate.toString('pem')
}

/** An answer of mDNS: there is a machine with this id, at this address. */
function announcement(id: string, at: string, port: number): Buffer {
  const name = (...labels: readonly string[]) =>
    Buffer.concat([
      ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
      Buffer.from([0]),
    ])
  const record = (owner: Buffer, type: number, data: Buffer) => {
    const head = Buffer.alloc(10)
    head.writeUInt16BE(type, 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt32BE(120, 4)
    head.writeUInt16BE(data.length, 8)
    return Buffer.concat([owner, head, data])
  }
  const service = name('_covey', '_tcp', 'local')
  const own = name(`covey-${port}`, '_covey', '_tcp', 'local')
  const host = name(`covey-${port}`, 'local')
  const texts = ['v=1', `id=${id}`, `a=${at}`].map((text) =>
    Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]),
  )
  const target = Buffer.alloc(6)
  target.writeUInt16BE(port, 4)
  const records = [
    record(service, 12, own),
    record(own, 33, Buffer.concat([target, host])),
    record(own, 16, Buffer.concat(texts)),
    record(host, 1, Buffer.from(at.split('.').map(Number))),
  ]
  const header = Buffer.from([0, 0, 0x84, 0, 0, 0, 0, records.length, 0, 0, 0, 0])
  return Buffer.concat([header, ...records])
}
