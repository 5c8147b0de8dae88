import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCard, readCard, sealKeyOf } from '../../../src/federation/nats/card.ts'
import { readAddress } from '../../../src/federation/nats/connection.ts'
import { fromFrame, resultHeaderSchema, toFrame } from '../../../src/federation/nats/job.ts'
import { createLedger } from '../../../src/federation/nats/ledger.ts'
import { lineOf, natsNames, natsPermissions, natsUser } from '../../../src/federation/nats/names.ts'
import { lock, newKey, toReplyKey, unlock, unwrapKey, wrapKey } from '../../../src/federation/nats/seal.ts'
import type { WireEvent } from '../../../src/federation/wire.ts'
import { newIdentity } from './server.ts'

const machine = () => {
  const { id, key } = newIdentity()
  const identity = createPrivateKey(key)
  const seal = sealKeyOf(identity)
  return { id, identity, seal, public: createPublicKey(seal) }
}

describe('sealing', () => {
  test('what is locked opens with its key in its context, and not when one byte differs', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (body, at, flip) => {
          const key = newKey()
          const sealed = lock(key, body, 'job 1')
          const changed = Buffer.from(sealed)
          changed[at % sealed.length]! ^= flip

          expect(unlock(key, sealed, 'job 1')).toEqual(Buffer.from(body))
          expect(unlock(key, changed, 'job 1')).toBeUndefined()
          expect(unlock(key, sealed, 'job 2')).toBeUndefined()
          expect(unlock(toReplyKey(key), sealed, 'job 1')).toBeUndefined()
        },
      ),
    )
  })

  test('a key that was wrapped opens for the machine it is for, from the machine that sent it', () => {
    const [from, to, other] = [machine(), machine(), machine()]
    const key = newKey()

    const wrapped = wrapKey(key, from.seal, to.public, 'job 1')

    expect(unwrapKey(wrapped, to.seal, from.public, 'job 1')).toEqual(key)
    expect(unwrapKey(wrapped, other.seal, from.public, 'job 1')).toBeUndefined()
    expect(unwrapKey(wrapped, to.seal, other.public, 'job 1')).toBeUndefined()
    expect(unwrapKey(wrapped, to.seal, from.public, 'job 2')).toBeUndefined()
  })

  test('whatever else arrives as a wrapped key is nothing', () => {
    const { seal, public: from } = machine()

    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(unwrapKey(text, seal, from, 'job 1')).toBeUndefined()
        expect(unlock(newKey(), Buffer.from(text), 'job 1')).toBeUndefined()
      }),
    )
  })
})

describe('a card', () => {
  test('shows the id of its machine and the key to seal to', () => {
    const { id, identity, public: key } = machine()

    const holder = readCard(createCard(identity))

    expect(holder?.id).toBe(id)
    expect(holder?.seal.equals(key)).toBe(true)
  })

  test('with a foreign key is not a card', () => {
    const [mine, theirs] = [createCard(machine().identity), createCard(machine().identity)]

    expect(readCard({ ...mine, seal: theirs.seal })).toBeUndefined()
    expect(readCard({ ...mine, identity: theirs.identity })).toBeUndefined()
    expect(readCard({ ...mine, identity: 'x', signature: '' })).toBeUndefined()
  })

  test('of a key of another kind is no card', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const identity = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64url')

    expect(readCard({ ...createCard(machine().identity), identity })).toBeUndefined()
  })
})

describe('the ledger of a job', () => {
  const said = (text: string): WireEvent => ({ type: 'text-delta', text })
  const finish: WireEvent = { type: 'finish', reason: 'stop' }

  test('after the last restart stands the first result, each event once, whatever live parts did', () => {
    const runs = fc.array(fc.array(fc.string({ maxLength: 3 }), { maxLength: 8 }), {
      minLength: 1,
      maxLength: 3,
    })
    const noise = fc.array(
      fc.record({ run: fc.nat(3), from: fc.nat(8), length: fc.nat(4), settles: fc.boolean() }),
      { maxLength: 40 },
    )

    fc.assert(
      fc.property(runs, noise, fc.nat(2), (texts, parts, winner) => {
        const all = texts.map((words, index) => ({
          run: `run ${index}`,
          attempt: index + 1,
          events: [...words.map(said), finish],
        }))
        const result = all[winner % all.length]!
        const ledger = createLedger()
        const told = parts.flatMap(({ run, from, length }) => {
          const source = all[run % all.length]!
          // The end is never told live.
          const events = source.events.slice(0, -1).slice(from, from + length)
          return [...ledger.live({ ...source, from, events })]
        })

        told.push(...ledger.settle(result))
        const second = ledger.settle(all[0]!)
        const late = ledger.live({ ...result, from: 0 })

        const start = told.findLastIndex(({ type }) => type === 'reply-restart') + 1
        expect(told.slice(start)).toEqual(result.events)
        expect([...second, ...late]).toEqual([])
      }),
    )
  })

  test('live parts in order are passed on as they come, and the result adds only the rest', () => {
    const ledger = createLedger()
    const run = { run: 'a', attempt: 1 }

    const told = [
      ledger.live({ ...run, from: 0, events: [said('a')] }),
      ledger.live({ ...run, from: 0, events: [said('a')] }),
      ledger.live({ ...run, from: 1, events: [said('b')] }),
      ledger.live({ ...run, from: 3, events: [said('d')] }),
      ledger.settle({ ...run, events: [said('a'), said('b'), said('c'), said('d'), finish] }),
    ]

    expect(told).toEqual([[said('a')], [], [said('b')], [], [said('c'), said('d'), finish]])
  })

  test('a later run replaces what an earlier one said, and an earlier one is not heard again', () => {
    const ledger = createLedger()

    const told = [
      ledger.live({ run: 'a', attempt: 1, from: 0, events: [said('a')] }),
      ledger.live({ run: 'b', attempt: 2, from: 0, events: [said('b')] }),
      ledger.live({ run: 'a', attempt: 1, from: 1, events: [said('a')] }),
    ]

    const restart = { type: 'reply-restart', why: 'the machine that answered was lost' }
    expect(told).toEqual([[said('a')], [restart, said('b')], []])
  })
})

describe('the address of a server', () => {
  test.each([
    ['nats://127.0.0.1', { name: '127.0.0.1', port: 4222, tls: false }],
    ['nats://localhost:5000', { name: 'localhost', port: 5000, tls: false }],
    ['nats://10.1.2.3', { name: '10.1.2.3', port: 4222, tls: false }],
    ['nats://[fd00::1]:4223', { name: 'fd00::1', port: 4223, tls: false }],
    ['nats://tower.local', { name: 'tower.local', port: 4222, tls: false }],
    ['tls://nats.example.org', { name: 'nats.example.org', port: 4222, tls: true }],
    [
      'nats://me:s%40cret@192.168.1.2',
      { name: '192.168.1.2', port: 4222, tls: false, user: 'me', password: 's@cret' },
    ],
  ])('%s', (url, address) => {
    expect(readAddress({ url })).toEqual(address)
  })

  test.each([
    'nats://nats.example.org',
    'nats://8.8.8.8:4222',
    'nats://[2001:db8::1]',
    'nats://10.0.0.1.evil.org',
  ])('%s would send everything in the clear', (url) => {
    expect(() => readAddress({ url })).toThrow('does not encrypt; write tls://')
    expect(readAddress({ url, allowPlain: true }).tls).toBe(false)
  })

  test.each([
    'nats.example.org',
    'https://nats.example.org',
    'nats://me:secret@:x',
    'nats://me:not/a/secret@host',
  ])('%s is none', (url) => {
    const read = () => readAddress({ url })

    expect(read).toThrow('is not the URL of a NATS server')
    expect(read).not.toThrow('secret')
  })
})

describe('names', () => {
  test('whatever a model is called, its line is one word of a subject', () => {
    fc.assert(
      fc.property(fc.string(), (model) => {
        expect(natsNames('covey').queued(lineOf(model))).toMatch(/^covey\.queue\.[0-9a-f]+$/)
      }),
    )
  })

  test('a machine may take, read and hear only its own', () => {
    const { publish, subscribe } = natsPermissions('covey', 'ID')

    expect(subscribe.slice(0, 4)).toEqual([
      'covey.live.ID.*',
      'covey.cancel.*',
      'covey.beat.ID.*',
      '_INBOX.ID.>',
    ])
    expect(subscribe.slice(4).map((subject) => subject.replace(/[^.]+$/, ''))).toEqual(
      Array.from({ length: 5 }, () => '$JS.EVENT.ADVISORY.STREAM.DELETED.'),
    )
    expect(
      publish.filter((subject) => /jobs|results|\$KV/.test(subject) && !subject.includes('STREAM')),
    ).toEqual([
      '$KV.covey_nodes.ID.*',
      '$JS.API.CONSUMER.CREATE.covey_jobs.ID.covey.job.ID',
      '$JS.API.CONSUMER.INFO.covey_jobs.ID',
      '$JS.API.CONSUMER.MSG.NEXT.covey_jobs.ID',
      '$JS.ACK.covey_jobs.ID.>',
      '$JS.API.DIRECT.GET.covey_results.covey.result.ID.*',
    ])
  })
})

test('the user that the documentation shows has the permissions a machine needs', async () => {
  const page = await readFile(new URL('../../../docs/nats.md', import.meta.url), 'utf8')

  expect(page).toContain(
    natsUser({ prefix: 'covey', id: 'ID_OF_LAPTOP', user: 'laptop', password: 'PASSWORD_OF_LAPTOP' }),
  )
})

test('a frame is read back as it was written, and nothing else is one', () => {
  const header = { version: 1 as const, node: 'a'.repeat(64) }

  fc.assert(
    fc.property(fc.uint8Array(), (body) => {
      const frame = fromFrame(resultHeaderSchema, toFrame(header, body))
      expect(frame && { header: frame.header, body: [...frame.body] }).toEqual({ header, body: [...body] })
      expect(fromFrame(resultHeaderSchema, body)).toBeUndefined()
    }),
  )
})
