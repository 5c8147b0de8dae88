import { describe, expect, test } from 'vitest'
import type { Machine, MachineReport } from '../../src/federation/machine.ts'
import { createPeerArms } from '../../src/app/peer-arms.ts'
import { failure } from './nats/server.ts'
import { hear, saying } from './machines.ts'

type Offered = MachineReport['models']

const offered = (id: string, window = 8_192) => ({ id, window, vision: false })

const machine = (models: Offered): Machine => ({
  id: 'a'.repeat(64),
  name: 'tower',
  via: 'nats',
  state: () => ({
    state: 'here',
    roundTripMs: 1,
    report: { name: 'tower', waiting: 0, running: 0, freeMemory: 0, models },
  }),
  model: (model) => ({ name: model, stream: () => saying(model) }),
})

describe('the arms of another machine', () => {
  test('that names new models for ever are forgotten, the oldest first', () => {
    const arms = createPeerArms(() => undefined)
    const named = (from: number) => Array.from({ length: 200 }, (_, index) => offered(`m${from + index}`))

    for (let from = 0; from < 2_000; from += 200) arms.of([machine(named(from))])
    const known = arms.of([machine(named(2_000))]).map(({ arm, gone }) => [arm.id, gone])

    expect(known).toHaveLength(1_000)
    expect(known[0]).toEqual(['peer/tower/m1200', 'it no longer offers this model'])
    expect(known.at(-1)).toEqual(['peer/tower/m2199', undefined])
  })

  test('are the same as long as their models are, and follow a window that changed', () => {
    const arms = createPeerArms(() => undefined)
    const window = () => arms.of([])[0]?.arm.profile().capabilities.window

    const [first] = arms.of([machine([offered('m')])])
    const [same] = arms.of([machine([{ ...offered('m'), decode: 20 }])])
    const before = window()
    arms.of([machine([offered('m', 32_768)])])

    expect(same?.arm).toBe(first?.arm)
    expect([before, window()]).toEqual([8_192, 32_768])
  })

  test.each([
    ['Tower', ['peer/tower-aaaaaaaa/m', 'peer/Tower-bbbbbbbb/m']],
    ['tower-aaaaaaaa', ['peer/tower/m', 'peer/tower-aaaaaaaa-bbbbbbbb/m']],
    ['any', ['peer/tower/m', 'peer/any-bbbbbbbb/m']],
    ['ANY', ['peer/tower/m', 'peer/ANY-bbbbbbbb/m']],
  ])('of a machine called %s are not those of another, nor of the line', (name, ids) => {
    const tower = machine([offered('m')])
    const other = { ...tower, id: 'b'.repeat(64), name }
    const line = { ...tower, id: 'any', name: 'any' }

    const arms = createPeerArms(() => undefined).of([tower, other, line])

    expect(arms.map(({ arm }) => arm.id)).toEqual([...ids, 'peer/any/m'])
    expect(arms.map(({ arm }) => arm.lease('').machine?.id)).toEqual([tower.id, other.id, 'any'])
  })

  test('of one that is known no more fail as one asks', async () => {
    const arms = createPeerArms(() => undefined)
    const [arm] = arms.of([machine([offered('m')])])

    const answer = hear(arm!.arm.lease('').model)

    expect(await failure(answer)).toEqual({
      code: 'model-unavailable',
      message: 'tower is not known to this machine any more.',
    })
  })
})
