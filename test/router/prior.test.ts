import { expect, test } from 'vitest'
import { priorOf } from '../../src/router/prior.ts'

const expected = (id: string): number => priorOf({ id, tier: 'local' })('debug')

test('a larger model is expected to do better, one for code a little more', () => {
  const order = [
    'covey/nano-14m',
    'qwen:0.5b',
    'gemma-3-1b-it',
    'qwen:3b',
    'qwen:7b',
    'qwen2.5-coder:7b',
    'Qwen3-Coder-30B-A3B',
    'qwen:32b',
  ]

  expect(order.toSorted((one, other) => expected(one) - expected(other))).toEqual(order)
})

test('where the size is unknown, the place decides', () => {
  expect(priorOf({ id: 'default', tier: 'local' })('debug')).toBe(0.5)
  expect(priorOf({ id: 'claude', tier: 'cloud' })('debug')).toBe(0.85)
})

test('what was measured counts instead, over all types or by type', () => {
  expect(priorOf({ id: 'qwen:7b', tier: 'local', measured: 0.31 })('debug')).toBe(0.31)
  expect(priorOf({ id: 'qwen:7b', tier: 'local', measured: { debug: 0.2 } })('debug')).toBe(0.2)
  expect(priorOf({ id: 'qwen:7b', tier: 'local', measured: { debug: 0.2 } })('explain')).toBe(
    expected('qwen:7b'),
  )
})

test('a declared size wins over the name', () => {
  expect(priorOf({ id: 'mine:7b', tier: 'local', parameters: 70 })('debug')).toBeGreaterThan(
    expected('mine:7b'),
  )
})
