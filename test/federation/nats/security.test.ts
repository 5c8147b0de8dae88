import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { describe, expect, test, vi } from 'vitest'
import type { NatsTransport } from '../../../src/federation/nats/open.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { ModelEvent } from '../../../src/protocol/model.ts'
import { tempProject } from '../../support/project.ts'
import {
  certificate,
  collect,
  dial,
  echo,
  failure,
  missing,
  named,
  newServer,
  node,
  offerOf,
  open,
} from './server.ts'
import { eventually } from '../../support/wait.ts'

const ask = (transport: NatsTransport, text: string): Promise<ModelEvent[]> =>
  collect(transport.machines()[0]!.model('small'), text)

describe.skipIf(missing !== undefined)(named('what a NATS server cannot do'), () => {
  test('it reads no prompt and no answer', async () => {
    const server = await newServer()
    const [laptop, tower] = [node('laptop'), node('tower')]
    const common = { server: { url: server.url }, trusted: [laptop.identity.id, tower.identity.id] }
    const wire: string[] = []
    const tap = await dial(server.url)
    tap.subscribe('>', { callback: (_error, message) => void wire.push(message.string()) })
    await tap.flush()
    await open({ ...common, node: tower, offer: offerOf(echo) })
    const transport = await open({ ...common, node: laptop })

    await ask(transport, 'the crown jewels are under the stairs')
    await tap.flush()

    const all = wire.join('\n')
    expect(all).toContain(laptop.identity.id)
    expect(all).toContain('tower')
    for (const word of ['crown', 'jewels', 'stairs', 'text-delta']) expect(all).not.toContain(word)
  })

  test('it grants no trust: a machine that is not on the list is not shown, and is refused', async () => {
    const server = await newServer()
    const [laptop, tower] = [node('laptop'), node('tower')]
    const common = { server: { url: server.url } }
    const ran = vi.fn<() => void>()
    const counted = offerOf((model, request) => {
      ran()
      return echo(model, request)
    })
    await open({ ...common, node: tower, offer: counted })
    const careful = await open({ ...common, node: node('other') })
    const credulous = await open({ ...common, node: laptop, trusted: [tower.identity.id] })

    const refusal = await failure(ask(credulous, 'x'))

    expect(careful.machines()).toEqual([])
    expect(refusal).toEqual({
      code: 'model-unavailable',
      message: `tower: it does not trust this machine; there, add ${laptop.identity.id} to federation.nats.trusted (it is ${tower.identity.id})`,
    })
    expect(ran).not.toHaveBeenCalled()
  })

  test('trust from elsewhere, such as pairing, counts as well, and can be taken back', async () => {
    const server = await newServer()
    const [laptop, tower] = [node('laptop'), node('tower')]
    let isPaired = true
    const common = { server: { url: server.url }, isTrusted: async () => isPaired }
    await open({ ...common, node: tower, offer: offerOf(echo) })
    const transport = await open({ ...common, node: laptop })

    expect(await ask(transport, 'x')).toHaveLength(3)
    isPaired = false

    await eventually(() => expect(transport.machines()).toEqual([]))
  })

  test('it cannot show another key for an id, nor a machine under the id of another', async () => {
    const server = await newServer()
    const [laptop, tower, thief] = [node('laptop'), node('tower'), node('thief')]
    const common = { server: { url: server.url }, trusted: [laptop.identity.id, tower.identity.id] }
    await open({ ...common, node: thief, offer: offerOf(echo) })
    const bucket = await new Kvm(await dial(server.url)).open('covey_nodes')
    const { id } = thief.identity
    let key = ''
    for await (const one of await bucket.keys(`${id}.*`)) key = one
    const entry = await bucket.get(key)

    await bucket.put(key.replace(id, tower.identity.id), entry!.value)
    await bucket.put('nonsense', '{')
    const transport = await open({ ...common, node: laptop })

    expect(transport.machines()).toEqual([])
  })

  test('a machine at the same line that is not trusted passes jobs on and cannot open them', async () => {
    const server = await newServer()
    const [laptop, tower, stranger] = [node('laptop'), node('tower'), node('stranger')]
    const common = { server: { url: server.url }, trusted: [laptop.identity.id, tower.identity.id] }
    const ran = vi.fn<() => void>()
    const curious = offerOf((model, request) => {
      ran()
      return echo(model, request)
    })
    await open({ ...common, node: tower, offer: offerOf(echo) })
    await open({ server: { url: server.url }, node: stranger, offer: curious, isTrusted: () => true })
    const transport = await open({ ...common, node: laptop })

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => collect(transport.anyone('small'), 'x')),
    )

    expect(answers.map((events) => events.length)).toEqual([3, 3, 3, 3, 3])
    expect(ran).not.toHaveBeenCalled()
  })

  test('what lies in the stream and is no job is dropped, and the next job is answered', async () => {
    const server = await newServer()
    const [laptop, tower] = [node('laptop'), node('tower')]
    const common = { server: { url: server.url }, trusted: [laptop.identity.id, tower.identity.id] }
    await open({ ...common, node: tower, offer: offerOf(echo) })
    const transport = await open({ ...common, node: laptop })
    const js = jetstream(await dial(server.url))

    for (const body of ['', '{}\n', 'x'.repeat(1_000), `{"version":9}\n`]) {
      await js.publish(`covey.job.${tower.identity.id}`, body)
    }

    expect(await ask(transport, 'still there')).toHaveLength(4)
  })
})

describe.skipIf(missing !== undefined)(named('what a NATS server refuses'), () => {
  test('wrong credentials are named', async () => {
    const { url } = await newServer([{ name: 'tower', password: 'right' }])

    const wrong = failure(open({ server: { url, user: 'tower', password: 'wrong' }, node: node('tower') }))

    expect(await wrong).toEqual({
      code: 'credential',
      message: `The NATS server ${url} refused the credentials (Authorization Violation); correct federation.nats.user and password, or credentials.`,
    })
  })

  test('a server that is not there is named', async () => {
    const server = await newServer()
    await server.kill()

    const error = await failure(open({ server: { url: server.url }, node: node('tower') }))

    expect(error.code).toBe('model-unavailable')
    expect(error.message).toContain(`Cannot reach the NATS server ${server.url}: connect ECONNREFUSED`)
  })

  test('with the permissions of its own user a machine does all it must', async () => {
    const [laptop, tower] = [node('laptop'), node('tower')]
    const users = [laptop, tower].map(({ name, identity }) => ({ name, password: name, id: identity.id }))
    const { url } = await newServer(users)
    const trusted = [laptop.identity.id, tower.identity.id]
    const file = join(await tempProject({ log: '' }), 'log')
    const log = await createLogger({ level: 'warn', file, verbose: false })
    const as = (user: string) => ({ server: { url, user, password: user }, trusted, maxInline: 2_000, log })
    await open({ ...as('tower'), node: tower, offer: offerOf(echo) })
    const transport = await open({ ...as('laptop'), node: laptop })

    const small = await ask(transport, 'one two')
    const large = await ask(transport, 'x'.repeat(5_000))
    const anyone = await collect(transport.anyone('small'), 'y')

    expect([small.length, large.length, anyone.length]).toEqual([4, 3, 3])
    expect(await readFile(file, 'utf8')).toBe('')
  })

  test("another machine's jobs, results, words and entry in the registry are out of reach", async () => {
    const [laptop, tower] = [node('laptop'), node('tower')]
    const users = [laptop, tower].map(({ name, identity }) => ({ name, password: name, id: identity.id }))
    const { url } = await newServer(users)
    await open({ server: { url, user: 'tower', password: 'tower' }, node: tower, offer: offerOf(echo) })
    const spy = await dial(url, 'laptop')
    const theirs = tower.identity.id
    const request = (subject: string) => failure(spy.request(subject, '', { timeout: 2_000 }))
    const listen = async (subject: string) => {
      for await (const _message of spy.subscribe(subject)) throw new Error('heard something')
    }

    const refusals = await Promise.all([
      request(`$JS.API.CONSUMER.CREATE.covey_jobs.${theirs}.covey.job.${theirs}`),
      request(`$JS.API.CONSUMER.MSG.NEXT.covey_jobs.${theirs}`),
      request(`$JS.API.DIRECT.GET.covey_results.covey.result.${theirs}.x`),
      request(`$KV.covey_nodes.${theirs}`),
      request('$JS.API.STREAM.DELETE.covey_jobs'),
      failure(listen(`covey.live.${theirs}.*`)),
      failure(listen('covey.job.*')),
      failure(listen(`_INBOX.${theirs}.>`)),
    ])

    expect(refusals.map(({ message }) => message)).toEqual(
      refusals.map(() => expect.stringMatching(/^Permissions Violation for (?:Publish|Subscription) to/)),
    )
  })

  test("a machine that took another's user gets an error that names the subject it may not use", async () => {
    const [laptop, tower] = [node('laptop'), node('tower')]
    const { url } = await newServer([{ name: 'tower', password: 'tower', id: tower.identity.id }])

    const error = await failure(
      open({ server: { url, user: 'tower', password: 'tower' }, node: laptop, offer: offerOf(echo) }),
    )

    expect(error.code).toBe('credential')
    expect(error.message).toMatch(
      /does not let this user (?:publish|subscribe) to ".*"; add it to the user's perm/,
    )
    expect(error.message).toContain(laptop.identity.id)
  })
})

describe.skipIf(missing !== undefined)(named('an encrypted connection'), () => {
  test('is made where the certificate is known, and nothing is sent where it is not', async () => {
    const { ca, key } = await certificate(['127.0.0.1'])
    const { url } = await newServer([], `tls { cert_file: "${ca}", key_file: "${key}" }`)
    const secure = url.replace('nats://', 'tls://')
    const [laptop, tower] = [node('laptop'), node('tower')]
    const common = { server: { url: secure, caFile: ca }, trusted: [laptop.identity.id, tower.identity.id] }
    await open({ ...common, node: tower, offer: offerOf(echo) })

    const transport = await open({ ...common, node: laptop })
    const unknown = await failure(open({ server: { url: secure }, node: laptop }))

    expect(await ask(transport, 'x')).toHaveLength(3)
    expect(unknown).toEqual({
      code: 'credential',
      message: `The certificate of the NATS server ${secure} is not known (self-signed certificate); name its authority with federation.nats.ca = "/path/to/ca.pem".`,
    })
  })

  test('is not given up where the server has none', async () => {
    const { url } = await newServer()

    const error = await failure(open({ server: { url: url.replace('nats:', 'tls:') }, node: node('laptop') }))

    expect(error.message).toMatch(/^The NATS server tls:.* offers no TLS; add a `tls` block/)
  })
})
