import { createPrivateKey } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type KV, Kvm } from '@nats-io/kv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCard } from '../../../src/federation/nats/card.ts'
import { entryKey, newInstance, writeEntry } from '../../../src/federation/nats/entry.ts'
import { createNameBook } from '../../../src/federation/nats/name-book.ts'
import { openRegistry, type RegistryParts } from '../../../src/federation/nats/registry.ts'
import { until } from '../../support/wait.ts'
import { dial, echo, missing, named, newIdentity, newServer, offerOf, silent } from './server.ts'

const report = { ...offerOf(echo).report(), name: 'other' }

const newBucket = async (): Promise<KV> => new Kvm(await dial((await newServer()).url)).create('nodes')

function newMachine() {
  const { id, key } = newIdentity()
  const identity = createPrivateKey(key)
  const card = createCard(identity)
  const instance = newInstance()
  let sequence = 0
  const entry = (more: { left?: boolean; name?: string } = {}) =>
    writeEntry(
      { card, identity },
      {
        instance,
        sequence: ++sequence,
        report: { ...report, ...(more.name !== undefined && { name: more.name }) },
        ...(more.left && { left: true }),
      },
      'nodes',
    )
  return { id, card, identity, key: entryKey(id, instance), entry }
}

async function open(bucket: KV, more: Partial<RegistryParts> = {}) {
  const registry = await openRegistry({
    bucket,
    own: newMachine(),
    bucketName: 'nodes',
    pins: createNameBook(),
    roundTrip: async () => 1,
    isTrusted: async () => true,
    isConnected: () => true,
    refreshMs: 50,
    goneMs: 300,
    log: silent,
    ...more,
  })
  onTestFinished(registry.close)
  return registry
}

describe.skipIf(missing !== undefined)(named('the registry'), () => {
  test('keeps no machine that was never trusted: their number is unbounded', async () => {
    const bucket = await newBucket()
    const [stranger, friend] = [newMachine(), newMachine()]
    const registry = await open(bucket, { isTrusted: async (id) => id === friend.id })

    await bucket.put(stranger.key, stranger.entry())
    await bucket.put(friend.key, friend.entry())
    await until(() => registry.nodes().length > 0)

    expect(registry.nodes().map(({ id }) => id)).toEqual([friend.id])
    expect(registry.stateOf(stranger.id)).toEqual({ state: 'gone', why: 'it has left' })
  })

  test('forgives the silence of a pause only to machines that were here before it', async () => {
    const bucket = await newBucket()
    const [dead, alive] = [newMachine(), newMachine()]
    await bucket.put(dead.key, dead.entry())
    const registry = await open(bucket)
    await pause(350)
    await bucket.put(alive.key, alive.entry())
    await until(() => registry.stateOf(alive.id).state === 'here')

    const since = performance.now()
    await pause(350)
    registry.forgive(since)

    expect([dead, alive].map(({ id }) => registry.stateOf(id).state)).toEqual(['gone', 'here'])
  })

  test('of a machine that leaves while it is about to announce itself does not name it', async () => {
    const bucket = await newBucket()
    const [own, other] = [newMachine(), newMachine()]
    await bucket.put(other.key, other.entry())
    let goOn = () => {}
    let isHeld = false
    let isAsked = false
    const isTrusted = () => {
      if (!isHeld) return Promise.resolve(true)
      isAsked = true
      return new Promise<boolean>((resolve) => (goOn = () => resolve(true)))
    }
    const registry = await open(bucket, { own, report: () => report, isTrusted })

    isHeld = true
    await until(() => isAsked)
    await registry.close()
    goOn()
    await pause(100)

    const keys: string[] = []
    for await (const key of await bucket.keys(`${own.id}.*`)) keys.push(key)
    const last = await bucket.get(keys[0]!)
    expect(keys).toHaveLength(1)
    expect(JSON.parse(last!.json<{ body: string }>().body)).toMatchObject({ left: true })
  })
})
