import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseSlot, createSlotPool } from '../../src/embedded/slots.ts'

const SYSTEM = Array.from({ length: 100 }, (_, index) => index)
const slot = (tokens: readonly number[], usedAt = 0) => ({ tokens, prompt: tokens.length, usedAt })

describe('a prompt goes', () => {
  test('to the sequence that holds its conversation', () => {
    const slots = [slot([...SYSTEM, 1, 2, 3]), slot([...SYSTEM, 7, 8, 9]), slot([])]

    expect(chooseSlot([...SYSTEM, 7, 8, 9, 10], slots)).toBe(1)
  })

  test('beside a long conversation that only shares the system text with it', () => {
    const long = Array.from({ length: 300 }, (_, index) => 1000 + index)

    expect(chooseSlot([...SYSTEM, 5], [slot([...SYSTEM, ...long]), slot([])])).toBe(1)
  })

  test('over a short conversation that shares the system text with it', () => {
    expect(chooseSlot([...SYSTEM, 5], [slot([...SYSTEM, 6, 7]), slot([])])).toBe(0)
  })

  test('to its own sequence again when the reply there is not wanted', () => {
    const reply = Array.from({ length: 500 }, (_, index) => 2000 + index)
    const held = { tokens: [...SYSTEM, ...reply], prompt: SYSTEM.length, usedAt: 9 }

    expect(chooseSlot(SYSTEM, [slot([]), held])).toBe(1)
  })

  test('to the sequence used longest ago where nothing else decides', () => {
    expect(chooseSlot([1], [slot([2], 5), slot([3], 4), slot([4], 6)])).toBe(1)
  })
})

test('the place chosen is always the one with the least work', () => {
  const tokens = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 12 })
  const work = (prompt: number[], held: number[]): number => {
    const differs = prompt.findIndex((token, index) => token !== held[index])
    const common = differs === -1 ? prompt.length : differs
    return prompt.length - common + Math.max(0, held.length - common)
  }

  fc.assert(
    fc.property(tokens, fc.array(tokens, { minLength: 1, maxLength: 5 }), (prompt, held) => {
      const chosen = chooseSlot(
        prompt,
        held.map((list) => slot(list)),
      )

      expect(work(prompt, held[chosen]!)).toBe(Math.min(...held.map((list) => work(prompt, list))))
    }),
  )
})

describe('a pool', () => {
  const first = (free: readonly string[]): string => free[0]!

  test('hands slots out in the order they are asked for', async () => {
    const pool = createSlotPool(['a'])
    const order: number[] = []
    const one = await pool.take(first)
    const waiting = [1, 2, 3].map(async (number) => {
      const slot = await pool.take(first)
      order.push(number)
      pool.give(slot!)
    })

    expect(pool.waiting()).toBe(3)
    pool.give(one!)
    await Promise.all(waiting)

    expect(order).toEqual([1, 2, 3])
    expect(pool.waiting()).toBe(0)
  })

  test('skips callers that gave up waiting', async () => {
    const pool = createSlotPool(['a'])
    const stop = new AbortController()
    const one = await pool.take(first)
    const impatient = pool.take(first, stop.signal)
    const patient = pool.take(first)

    stop.abort()
    pool.give(one!)

    expect(await impatient).toBeUndefined()
    expect(await patient).toBe('a')
  })

  test('gives nothing to a caller that gave up before asking', async () => {
    const pool = createSlotPool(['a'])

    expect(await pool.take(first, AbortSignal.abort())).toBeUndefined()
    expect(await pool.take(first)).toBe('a')
  })
})
