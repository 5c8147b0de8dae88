import { createPrivateKey } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type KV, Kvm } from '@nats-io/kv'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCard } from '../../src/federation/nats-card.ts'
import { openRegistry, type RegistryParts } from '../../src/federation/nats-registry.ts'
import { until } from './machines.ts'
import { dial, echo, missing, named, newIdentity, newServer, offerOf, silent } from './nats-server.ts'

const report = { ...offerOf(echo).report(), name: 'somebody' }

const newBucket = async (): Promise<KV> => new Kvm(await dial((await newServer()).url)).create('nodes')

function newMachine() {
  const { id, key } = newIdentity()
  const card = createCard(createPrivateKey(key))
  return { id, card, entry: JSON.stringify({ version: 1, card, report }) }
}

async function open(bucket: KV, more: Partial<RegistryParts> = {}) {
  const registry = await openRegistry({
    bucket,
    own: newMachine(),
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
  test('keeps nobody who was never trusted: strangers come in any number', async () => {
    const bucket = await newBucket()
    const [stranger, friend] = [newMachine(), newMachine()]
    const registry = await open(bucket, { isTrusted: async (id) => id === friend.id })

    await bucket.put(stranger.id, stranger.entry)
    await bucket.put(friend.id, friend.entry)
    await until(() => registry.nodes().length > 0)

    expect(registry.nodes().map(({ id }) => id)).toEqual([friend.id])
    expect(registry.stateOf(stranger.id)).toEqual({ state: 'gone', why: 'it has left' })
  })

  test('forgives the silence of a pause to those who were here before it, and to nobody else', async () => {
    const bucket = await newBucket()
    const [dead, alive] = [newMachine(), newMachine()]
    await bucket.put(dead.id, dead.entry)
    const registry = await open(bucket)
    await pause(350)
    await bucket.put(alive.id, alive.entry)
    await until(() => registry.stateOf(alive.id).state === 'here')

    const since = performance.now()
    await pause(350)
    registry.forgive(since)

    expect([dead, alive].map(({ id }) => registry.stateOf(id).state)).toEqual(['gone', 'here'])
  })

  test('of a machine that leaves while it is about to announce itself does not name it', async () => {
    const bucket = await newBucket()
    const [own, other] = [newMachine(), newMachine()]
    await bucket.put(other.id, other.entry)
    let goOn = () => {}
    let isHeld = false
    const isTrusted = () => {
      if (!isHeld) return Promise.resolve(true)
      return new Promise<boolean>((resolve) => (goOn = () => resolve(true)))
    }
    const registry = await open(bucket, { own, report: () => report, isTrusted })

    isHeld = true
    await pause(100)
    await registry.close()
    goOn()
    await pause(100)

    expect((await bucket.get(own.id))?.operation).toBe('DEL')
  })
})
