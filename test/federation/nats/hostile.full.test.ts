/** What a user of the same NATS account who may do everything there, and is no trusted machine, can try. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { headers, type Msg } from '@nats-io/transport-node'
import { describe, expect, test, vi } from 'vitest'
import { openIdentity } from '../../../src/federation/identity.ts'
import type { Offer } from '../../../src/federation/machine.ts'
import type { NatsOptions } from '../../../src/federation/nats/open.ts'
import type { NatsServer } from '../../../src/federation/nats/connection.ts'
import { openNatsPatiently } from '../../../src/federation/nats/patient.ts'
import { AppError } from '../../../src/protocol/error.ts'
import { tempProject } from '../../support/project.ts'
import { questionOf } from '../machines.ts'
import {
  certificate,
  collect,
  dial,
  echo,
  failure,
  fast,
  machineOf,
  missing,
  named,
  newServer,
  node,
  offerOf,
  open,
  silent,
  textOf,
} from './server.ts'
import { eventually } from '../../support/wait.ts'

async function scene(offer: Offer, more: Partial<NatsOptions> = {}) {
  const server = await newServer()
  const [laptop, tower] = [node('laptop'), node('tower')]
  const common = { server: { url: server.url }, trusted: [laptop.identity.id, tower.identity.id], ...more }
  const outsider = await dial(server.url)
  const worker = await open({ ...common, node: tower, offer })
  const asker = await open({ ...common, node: laptop })
  return { common, laptop, tower, outsider, worker, asker, ask: machineOf(asker, 'tower').model('small') }
}

/** Everything that passes below a subject, as it passes. */
async function tap(
  connection: Awaited<ReturnType<typeof dial>>,
  subject: string,
  act: (message: Msg) => void,
) {
  connection.subscribe(subject, { callback: (error, message) => void (error ?? act(message)) })
  await connection.flush()
}

const slowly = (onStop: () => void = () => {}, words = 6): Offer =>
  offerOf(async function* (_model, _request, signal) {
    signal.addEventListener('abort', onStop)
    for (let word = 0; word < words && !signal.aborted; word++) {
      yield { type: 'text-delta', text: '.' }
      await pause(50)
    }
    yield { type: 'finish', reason: 'stop' }
  })

describe.skipIf(missing !== undefined)(named('an outsider with every right on the NATS server'), () => {
  test('cannot cancel a job: neither without a proof, nor with a wrong one, nor with that of another job', async () => {
    const stopped = vi.fn<() => void>()
    const { outsider, ask } = await scene(slowly(stopped))
    const proofs: string[] = ['', 'x', 'a'.repeat(64)]
    await tap(outsider, 'covey.cancel.*', (message) => void proofs.push(message.string()))
    const control = new AbortController()
    for await (const _ of ask.stream(questionOf('x'), control.signal)) control.abort()
    await eventually(() => expect(proofs).toHaveLength(4))
    stopped.mockClear()
    await tap(outsider, 'covey.live.*.*', ({ subject }) => {
      const job = subject.split('.').at(-1)
      for (const proof of proofs.slice(0, 4)) outsider.publish(`covey.cancel.${job}`, proof)
    })

    expect(textOf(await collect(ask, 'x'))).toBe('......')
    expect(stopped).not.toHaveBeenCalled()
  })

  test('cannot occupy the result of a job, nor put another in its place', async () => {
    const { outsider, laptop, ask } = await scene(slowly())
    const js = jetstream(outsider)
    const refusals: string[] = []
    const occupy = (name: string) =>
      js
        .publish(`covey.result.${laptop.identity.id}.${name}`, 'mine', { msgID: name })
        .catch((error: Error) => void refusals.push(error.message))
    await tap(outsider, 'covey.live.*.*', ({ subject }) => void occupy(subject.split('.').at(-1)!))
    await tap(outsider, 'covey.result.*.*', ({ subject, data }) => {
      if (data.length > 10)
        void js.publish(subject, 'mine').catch((error: Error) => void refusals.push(error.message))
    })

    expect(textOf(await collect(ask, 'x'))).toBe('......')
    await eventually(() =>
      expect(refusals.some((text) => /maximum messages per subject/.test(text))).toBe(true),
    )
  })

  test('that takes away a result makes the one who waits fail at once, not at the deadline', async () => {
    const { outsider, ask } = await scene(slowly())
    const jsm = await jetstreamManager(outsider)
    await tap(outsider, 'covey.result.*.*', () => void jsm.streams.purge('covey_results'))

    // The deadline is beyond the limit of this test.
    const outcome = await collect(ask, 'x').then(textOf, (error: Error) => error.message)

    expect(['......', expect.stringContaining('was stored and is gone again')]).toContainEqual(outcome)
  })

  test('gets nothing by sending a job again, and little where the machine was started anew', async () => {
    const ran = vi.fn<() => void>()
    let words = 1
    const stopped = vi.fn<() => void>()
    const offer = offerOf((model, request, signal) => {
      ran()
      return slowly(stopped, words).answer(model, request, signal)
    })
    const { outsider, ask, worker, tower, common } = await scene(offer, {
      intervals: { ...fast, desertedMs: 2_000 },
    })
    const jobs: Uint8Array[] = []
    await tap(outsider, 'covey.job.*', ({ data }) => void jobs.push(data))
    await collect(ask, 'x')
    const js = jetstream(outsider)
    const [job] = jobs as [Uint8Array]
    const renamed = Buffer.from(
      Buffer.from(job)
        .toString('latin1')
        .replace(/"job":"../, '"job":"00'),
      'latin1',
    )

    for (const again of [job, job, renamed]) await js.publish(`covey.job.${tower.identity.id}`, again)
    await collect(ask, 'y').catch(() => undefined)
    expect(ran).toHaveBeenCalledTimes(2)
    await worker.close()
    await open({ ...common, node: tower, offer })
    ran.mockClear()
    stopped.mockClear()
    words = 1_000
    await js.publish(`covey.job.${tower.identity.id}`, job)

    await eventually(() => expect([ran.mock.calls.length, stopped.mock.calls.length]).toEqual([1, 1]))
  })

  test('cannot drive a machine out of the registry, nor speak for it', async () => {
    const { outsider, asker, tower } = await scene(offerOf(echo))
    const bucket = await new Kvm(outsider).open('covey_nodes')
    let key = ''
    for await (const one of await bucket.keys(`${tower.identity.id}.*`)) key = one
    const entry = (await bucket.get(key))!.json<Record<string, string>>()
    const body = JSON.parse(entry['body']!) as { report: object; sequence: number }
    const forged = { ...body, sequence: 1e9, report: { ...body.report, name: 'evil', models: [] } }

    for (let round = 0; round < 5; round++) {
      await bucket.delete(key)
      await bucket.put(key, JSON.stringify({ ...entry, body: JSON.stringify(forged) }))
      await bucket.put(key, JSON.stringify({ ...entry, version: 9 }))
      await bucket.put(key, '{')
      await pause(100)
      expect(machineOf(asker, 'tower').state()).toMatchObject({ state: 'here', report: { name: 'tower' } })
    }
  })

  test('that deletes every stream costs no more than a moment', async () => {
    const { outsider, ask } = await scene(offerOf(echo))
    await collect(ask, 'x')
    const jsm = await jetstreamManager(outsider)
    const streams = ['covey_jobs', 'covey_queue', 'covey_results', 'KV_covey_nodes', 'OBJ_covey_bodies']

    await Promise.all(streams.map((stream) => jsm.streams.delete(stream)))
    // The deadline is beyond the limit of this test.
    const answer = await eventually(async () => textOf(await collect(ask, 'again')))

    expect(answer).toBe('again')
  })

  test('that fills the air with noise drowns no answer', async () => {
    const { outsider, ask } = await scene(slowly())
    const noise = new Uint8Array(500_000)
    let isSent = false
    await tap(outsider, 'covey.live.*.*', ({ subject }) => {
      if (isSent) return
      isSent = true
      for (let count = 0; count < 80; count++) outsider.publish(subject, noise)
    })
    const restarts = headers()
    restarts.set('Nats-Rollup', 'all')
    outsider.publish('$JS.EVENT.ADVISORY.STREAM.DELETED.covey_jobs', 'no', { headers: restarts })

    expect(textOf(await collect(ask, 'x'))).toBe('......')
  })

  test('that makes a stream which listens elsewhere is named, with the way out', async () => {
    const server = await newServer()
    const jsm = await jetstreamManager(await dial(server.url))
    await jsm.streams.add({ name: 'covey_jobs', subjects: ['mine.>'] })

    const error = await failure(open({ server: { url: server.url }, node: node('tower') }))

    expect(error).toEqual({
      code: 'config-invalid',
      message:
        'The stream covey_jobs on the NATS server takes mine.> instead of covey.job.*; delete it with `nats stream rm covey_jobs`, or set another federation.nats.prefix.',
    })
  })
})

describe.skipIf(missing !== undefined)(named('a trusted machine that misbehaves'), () => {
  test('and only says that it works is given up at the limit for the first token', async () => {
    const mute = offerOf(async function* (_model, _request, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    const { ask } = await scene(mute, { intervals: { ...fast, firstTokenMs: 1_000 } })

    expect(await failure(collect(ask, 'x'))).toEqual({
      code: 'model-unavailable',
      message:
        'tower was given up: it gave no first token within 1 s; federation.nats.first_token_s allows more.',
    })
  })

  test('whose failure holds what a terminal would obey is shown, not obeyed', async () => {
    const hostile = offerOf(() => {
      throw new AppError('model-unavailable', 'a\u001B]0;x\u0007b\u202Ec\nrun this')
    })
    const { ask } = await scene(hostile)

    const { message } = await failure(collect(ask, 'x'))

    expect(message).toBe('tower: a\\x1b]0;x\\x07b\uFFFDc run this')
  })

  test('keeps the name it had first', async () => {
    const { common, tower, worker, asker, outsider } = await scene(offerOf(echo))
    await worker.close()
    await open({ ...common, node: { ...tower, name: 'laptop\u001B[2J' }, offer: offerOf(echo) })
    await outsider.flush()

    await eventually(() => expect(asker.machines().map(({ name }) => name)).toEqual(['tower']))
  })

  test('one key on two machines is said on both, and neither ends the other', async () => {
    const { common, tower, worker, asker, ask } = await scene(offerOf(echo))
    const copy = await open({ ...common, node: { ...tower, name: 'copy' }, offer: offerOf(echo) })
    const both = /^Two machines use the key of this machine: .*(?:tower.*copy|copy.*tower)/

    await eventually(() => {
      expect(worker.problem()).toMatch(both)
      expect(copy.problem()).toMatch(both)
    })
    await copy.close()

    await pause(500)
    expect(machineOf(asker, 'tower').state().state).toBe('here')
    expect(textOf(await collect(ask, 'still'))).toBe('still')
    await eventually(() => expect(worker.problem()).toBeUndefined())
  })
})

describe.skipIf(missing !== undefined)(named('what keeps a machine from the NATS server'), () => {
  test('is an error with its next step, and the machine goes on without the others', async () => {
    const { ca, key } = await certificate(['127.0.0.1'])
    const plain = await newServer([{ name: 'tower', password: 'right' }])
    const secure = await newServer([], `tls { cert_file: "${ca}", key_file: "${key}" }`)
    const tls = ({ url }: { readonly url: string }) => url.replace('nats:', 'tls:')
    const problemOf = async (server: NatsServer) => {
      const way = await openNatsPatiently({ server, node: node('tower'), log: silent })
      const problem = way.problem()
      await way.close()
      return problem
    }

    const problems = [
      await problemOf({ url: plain.url, user: 'tower', password: 'wrong' }),
      await problemOf({ url: tls(plain) }),
      await problemOf({ url: tls(secure) }),
    ]

    expect(problems).toEqual([
      expect.stringMatching(/refused the credentials .*; correct federation.nats.user and password/),
      expect.stringMatching(/offers no TLS; add a `tls` block/),
      expect.stringMatching(
        /is not known \(self-signed certificate\); name its authority with federation.nats.ca/,
      ),
    ])
  })
})

test('a key that others can read is refused, with the command that closes it', async () => {
  const path = join(await tempProject(), 'peer')
  await openIdentity(path)
  await chmod(path, 0o640)
  const credentialsFile = join(await tempProject({ 'my.creds': 'x' }), 'my.creds')
  await chmod(credentialsFile, 0o604)

  const errors = [
    await failure(openIdentity(path)),
    await failure(open({ server: { url: 'nats://127.0.0.1:1', credentialsFile }, node: node('tower') })),
  ]

  expect(errors.map(({ message }) => message)).toEqual([
    `${path} (this machine's key) is open to other users of this machine (mode 0640); run: chmod 600 '${path}'`,
    `${credentialsFile} (the NATS credentials) is open to other users of this machine (mode 0604); run: chmod 600 '${credentialsFile}'`,
  ])
})

test('a password does not go over a network in the clear', async () => {
  const server = { url: 'nats://10.1.2.3', user: 'me', password: 'secret' }

  const error = await failure(open({ server, node: node('tower') }))

  expect(error.message).toMatch(
    /^The password for the NATS server would go to 10\.1\.2\.3 in the clear; write tls:/,
  )
})
