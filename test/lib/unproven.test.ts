import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnproven, type UnprovenLimits } from '../../src/lib/unproven.ts'
import { until } from '../support/wait.ts'

/** A server that authenticates no client, and clients from any address of 127/8. */
async function open(limits: UnprovenLimits) {
  const unproven = createUnproven(limits)
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket.on('error', () => {}))
    unproven.add(socket)
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  const join = async (localAddress = '127.0.0.1') => {
    const before = accepted.length
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    while (accepted.length === before) await new Promise((resolve) => setImmediate(resolve))
    return { socket, inside: accepted.at(-1) as Socket }
  }
  return { unproven, join }
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close'))
const LONG = 60_000

describe('connections that have proven nothing', () => {
  test('end after their moment, and those that proved who they are do not', async () => {
    const { unproven, join } = await open({ most: 8, perAddress: 8, ms: 500 })
    const proven = await join()

    unproven.release(proven.inside)
    // It came later, so when it is over the moment of the other is over, too.
    const idle = await join()
    await closed(idle.socket)
    await until(() => unproven.count() === 0)

    expect([idle.inside.destroyed, proven.inside.destroyed, unproven.count()]).toEqual([true, false, 0])
  })

  test('of one address are few: the one that waits longest goes first, but not one whose request is here', async () => {
    const { unproven, join } = await open({ most: 8, perAddress: 2, ms: LONG })
    const first = await join()
    unproven.heard(first.inside)
    const second = await join()

    const third = await join()
    await closed(second.socket)

    expect([first, second, third].map(({ inside }) => inside.destroyed)).toEqual([false, true, false])
    expect(unproven.count()).toBe(2)
  })

  test('of all together are few: the address with most of them loses one', async () => {
    const { unproven, join } = await open({ most: 3, perAddress: 3, ms: LONG })
    const other = await join('127.0.0.2')
    const flood = [await join('127.0.0.3'), await join('127.0.0.3')]

    flood.push(await join('127.0.0.3'))
    await closed((flood[0] as (typeof flood)[0]).socket)

    expect(flood.map(({ inside }) => inside.destroyed)).toEqual([true, false, false])
    expect([other.inside.destroyed, unproven.count()]).toEqual([false, 3])
  })

  test('that end by themselves are forgotten', async () => {
    const { unproven, join } = await open({ most: 3, perAddress: 3, ms: LONG })
    const one = await join()

    one.socket.destroy()
    await closed(one.inside)

    expect(unproven.count()).toBe(0)
  })
})
