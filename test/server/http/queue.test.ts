import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairQueue, type FairQueue, type QueueSlot } from '../../../src/server/http/queue.ts'

const model = 'small'
const never = new AbortController().signal

/** Waits in the background and notes who is served in which order. */
function exchange(
  queue: FairQueue,
  client: string,
  served: string[],
  signal = never,
): QueueSlot & { turn: Promise<void> } {
  const place = queue.enter({ model, client })
  const turn = (async () => {
    for await (const _ of place.positions(signal)) continue
    served.push(client)
  })()
  return { ...place, turn }
}

test('a request that finds a free slot is served at once', async () => {
  const queue = createFairQueue({ slots: () => 2 })
  const served: string[] = []

  await Promise.all([exchange(queue, 'a', served).turn, exchange(queue, 'b', served).turn])

  expect(served).toEqual(['a', 'b'])
})

test('a place is served while it has a slot, and not before', () => {
  const queue = createFairQueue({ slots: () => 1 })
  const first = queue.enter({ model, client: 'a' })
  const second = queue.enter({ model, client: 'b' })

  const before = [first, second].map((place) => place.isServed())
  first.leave()
  const after = [first, second].map((place) => place.isServed())

  expect([before, after]).toEqual([
    [true, false],
    [false, true],
  ])
})

test('clients take turns, however many requests one of them has', async () => {
  const queue = createFairQueue({ slots: () => 1 })
  const served: string[] = []
  const places = ['a', 'a', 'a', 'b', 'b', 'c'].map((client) => exchange(queue, client, served))

  const waiting = new Set(places)
  while (waiting.size > 0) {
    const next = await Promise.race([...waiting].map((place) => place.turn.then(() => place)))
    waiting.delete(next)
    next.leave()
  }

  expect(served).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
})

test('positions count down and end with the turn', async () => {
  const queue = createFairQueue({ slots: () => 1 })
  const first = queue.enter({ model, client: 'a' })
  const second = queue.enter({ model, client: 'b' })
  const third = queue.enter({ model, client: 'c' })
  const positions = third.positions(never)

  const told = [(await positions.next()).value]
  first.leave()
  told.push((await positions.next()).value)
  second.leave()
  const { done } = await positions.next()

  expect(told).toEqual([2, 1])
  expect(done).toBe(true)
  third.leave()
  expect(queue.state()).toEqual({ active: 0, waiting: 0 })
})

test('who gives up while waiting is no longer counted', async () => {
  const queue = createFairQueue({ slots: () => 1 })
  const first = queue.enter({ model, client: 'a' })
  const controller = new AbortController()
  const gone = exchange(queue, 'b', [], controller.signal)
  const last = exchange(queue, 'c', [])

  controller.abort()
  await expect(gone.turn).rejects.toThrow()
  gone.leave()
  first.leave()
  await last.turn

  expect(queue.state()).toEqual({ active: 1, waiting: 0 })
})

test('whatever comes and goes, no more than the slots are served and no slot stays empty', () => {
  const step = fc.record({ client: fc.constantFrom('a', 'b', 'c'), leaves: fc.nat(9), enters: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 60 }), (slots, steps) => {
      const queue = createFairQueue({ slots: () => slots })
      const places: QueueSlot[] = []

      for (const { client, leaves, enters } of steps) {
        if (enters) places.push(queue.enter({ model, client }))
        else places.splice(leaves, 1)[0]?.leave()

        const { active, waiting } = queue.state()
        expect(active + waiting).toBe(places.length)
        expect(active).toBe(Math.min(slots, places.length))
      }
    }),
  )
})
