/** Which machine answers, and which address is advertised: decisions, without a network. */
import type { NetworkInterfaceInfo } from 'node:os'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advertised, rankAddresses, requireReachable } from '../../src/federation/address.ts'
import type { Machine, MachineReport } from '../../src/federation/machine.ts'
import { createPlacing } from '../../src/federation/placing.ts'
import { expectedWait, quickest, type WaitFacts } from '../../src/federation/wait.ts'
import { saying } from './machines.ts'

const idle: WaitFacts = { waiting: 0, running: 0 }

describe('the expected wait', () => {
  test('is everybody before, then reading the prompt, then the way', () => {
    const facts = { waiting: 1, running: 1, prefill: 100, decode: 40, roundTripMs: 500 }

    // Each takes 2 s to read and 10 s to answer.
    expect(expectedWait(facts, 200)).toBe(2 * (2 + 10) + 2 + 0.5)
  })

  test('never shrinks when more are waiting, the prompt is longer or the machine slower', () => {
    const facts = fc.record({
      waiting: fc.nat(50),
      running: fc.nat(8),
      prefill: fc.integer({ min: 1, max: 10_000 }),
      decode: fc.integer({ min: 1, max: 500 }),
      roundTripMs: fc.nat(5_000),
    })
    fc.assert(
      fc.property(facts, fc.nat(30_000), (one, tokens) => {
        const wait = expectedWait(one, tokens)

        expect(expectedWait({ ...one, waiting: one.waiting + 1 }, tokens)).toBeGreaterThan(wait)
        expect(expectedWait(one, tokens + 100)).toBeGreaterThan(wait)
        expect(expectedWait({ ...one, prefill: one.prefill + 1 }, tokens)).toBeLessThanOrEqual(wait)
      }),
    )
  })

  test.each([0, -1, Number.NaN])('a measured speed of %s is taken for none', (prefill) => {
    expect(expectedWait({ ...idle, prefill, decode: prefill }, 1_000)).toBe(expectedWait(idle, 1_000))
  })
})

describe('the quickest place', () => {
  test('is here while all are idle', () => {
    const places = [
      { id: 'here', facts: idle },
      { id: 'there', facts: idle },
    ]

    expect(quickest(places, 4_000)?.id).toBe('here')
  })

  test('is another one while this one is busy', () => {
    const places = [
      { id: 'here', facts: { ...idle, running: 1 } },
      { id: 'busier', facts: { waiting: 4, running: 1 } },
      { id: 'idle', facts: { ...idle, roundTripMs: 20 } },
    ]

    expect(quickest(places, 4_000)?.id).toBe('idle')
  })

  test('is not left for a little', () => {
    const places = [
      { id: 'here', facts: { ...idle, prefill: 1_000 } },
      { id: 'there', facts: { ...idle, prefill: 1_400 } },
    ]

    expect(quickest(places, 4_000)?.id).toBe('here')
  })
})

function machineOf(id: string, report: Partial<MachineReport> | 'gone'): Machine {
  const models = [{ id: 'm', window: 8_192, vision: false }]
  const usual = { name: id, waiting: 0, running: 0, freeMemory: 0, models }
  return {
    id,
    name: id,
    via: 'lan',
    state: () =>
      report === 'gone'
        ? { state: 'gone', why: 'away' }
        : { state: 'here', report: { ...usual, ...report }, roundTripMs: 1 },
    model: (model) => ({ name: model, stream: () => saying('') }),
  }
}

describe('a request', () => {
  const busy = { waiting: 3, running: 1 }

  test('goes to a machine that is here and has the model', () => {
    const machines = [machineOf('a', 'gone'), machineOf('b', { models: [] }), machineOf('c', {})]

    const to = createPlacing()({ model: 'm', machines, home: busy, tokens: 100 })

    expect(to?.id).toBe('c')
  })

  test('stays where it is when there is no other machine', () => {
    const machines = [machineOf('a', 'gone')]

    expect(createPlacing()({ model: 'm', machines, home: busy, tokens: 100 })).toBeUndefined()
  })

  test('of one run goes where the run began, as long as that machine is here', () => {
    const place = createPlacing()
    const [a, b] = [machineOf('a', {}), machineOf('b', {})]
    const wish = { model: 'm', tokens: 100, runId: 'run' }

    const first = place({ ...wish, machines: [a, b], home: busy })
    const second = place({ ...wish, machines: [a, b], home: idle })
    const third = place({ ...wish, machines: [machineOf('a', 'gone'), b], home: idle })

    expect([first?.id, second?.id, third?.id]).toEqual(['a', 'a', undefined])
  })

  test('that the router gave to one machine may go on to a less busy one with the same model', () => {
    const [a, b] = [machineOf('a', busy), machineOf('b', {})]

    const to = createPlacing()({ model: 'm', machines: [a, b], home: a, tokens: 100 })

    expect(to?.id).toBe('b')
  })
})

const address = (text: string, internal = false): NetworkInterfaceInfo =>
  ({ address: text, internal, family: text.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo

describe('the advertised address', () => {
  const interfaces = {
    lo: [address('127.0.0.1', true), address('::1', true)],
    docker0: [address('172.17.0.1')],
    eth0: [address('203.0.113.5'), { ...address('fe80::1'), scopeid: 2 } as NetworkInterfaceInfo],
    tailscale0: [address('100.101.102.103'), address('fd7a:115c::1')],
    wlan0: [address('192.168.1.20')],
    'br-ab12': [address('192.168.99.1')],
  }

  test('is a private one first, bridges of containers later, this machine only last', () => {
    expect(rankAddresses(interfaces)).toEqual([
      { address: '192.168.1.20', why: 'private range 192.168/16 on wlan0' },
      { address: '100.101.102.103', why: 'private range 100.64/10 on tailscale0' },
      { address: 'fd7a:115c::1', why: 'private range fd00::/8 on tailscale0' },
      { address: '203.0.113.5', why: 'a public address on eth0' },
      { address: '192.168.99.1', why: 'private range 192.168/16 on br-ab12, but a bridge of containers' },
      { address: '172.17.0.1', why: 'private range 172.16/12 on docker0, but a bridge of containers' },
      { address: '127.0.0.1', why: 'only this machine reaches it (lo)' },
      { address: '::1', why: 'only this machine reaches it (lo)' },
    ])
  })

  test.each([
    ['172.15.0.1', 'a public address on eth0'],
    ['172.31.0.1', 'private range 172.16/12 on eth0'],
    ['100.63.0.1', 'a public address on eth0'],
    ['100.127.0.1', 'private range 100.64/10 on eth0'],
    ['10.1.2.3', 'private range 10/8 on eth0'],
  ])('%s is %s', (text, why) => {
    expect(rankAddresses({ eth0: [address(text)] })).toEqual([{ address: text, why }])
  })

  test('is the one that was given, or the best where every one was', () => {
    expect(advertised('[fd00::5]', interfaces)).toEqual([{ address: 'fd00::5', why: 'given by --host' }])
    expect(advertised('0.0.0.0', interfaces)[0]?.address).toBe('192.168.1.20')
  })

  test.each([undefined, '127.0.0.1', 'localhost', '::1'])('%s gives the line to type', (host) => {
    expect(() => requireReachable(host, interfaces)).toThrow(
      'type `covey serve --federation --host 192.168.1.20` (private range 192.168/16 on wlan0)',
    )
  })

  test('a machine without a network gets an error', () => {
    expect(() => requireReachable(undefined, { lo: interfaces.lo })).toThrow('connect it to a network first')
  })
})
