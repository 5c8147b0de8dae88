import type { BatchItem, Token } from 'node-llama-cpp'
import { describe, expect, test } from 'vitest'
import { chooseBatch, createBatching, priorityOf } from '../../src/embedded/batching.ts'

const item = (sequence: number | undefined, length = 1): BatchItem => ({
  tokens: Array.from({ length }, (_, index) => index as Token),
  logits: [],
  evaluationPriority: sequence === undefined ? 5 : priorityOf(sequence),
})
const whole = (chosen: BatchItem) => ({ item: chosen, processAmount: chosen.tokens.length })

describe('a batch is', () => {
  test('the single tokens of several sequences, in the order of the sequences', () => {
    const [two, zero, one] = [item(2), item(0), item(1)]

    expect(chooseBatch({ items: [two, zero, one], size: 512 })).toEqual([zero, one, two].map(whole))
  })

  test('one prompt alone, when it has waited longest', () => {
    const [prompt, token] = [item(0, 300), item(1)]

    expect(chooseBatch({ items: [prompt, token], size: 512 })).toEqual([whole(prompt)])
    expect(chooseBatch({ items: [token, prompt], size: 512 })).toEqual([whole(token)])
  })

  test('as much of a prompt as fits', () => {
    const prompt = item(0, 300)

    expect(chooseBatch({ items: [prompt], size: 200 })).toEqual([{ item: prompt, processAmount: 200 }])
  })

  test('one token alone, when its owner is unknown', () => {
    const [unknown, known] = [item(undefined), item(0)]

    expect(chooseBatch({ items: [unknown, known], size: 512 })).toEqual([whole(unknown)])
    expect(chooseBatch({ items: [known, unknown], size: 512 })).toEqual([whole(known)])
  })
})

describe('sequences that write at the same time', () => {
  test('are waited for, so that they stay together', () => {
    const batching = createBatching()
    const [zero, one] = [item(0), item(1)]
    batching.begin()
    batching.begin()

    expect(batching.choose({ items: [one], size: 512 })).toEqual([])
    expect(batching.choose({ items: [one, zero], size: 512 })).toEqual([zero, one].map(whole))
  })

  test('are not waited for long', () => {
    const batching = createBatching()
    const alone = item(0)
    batching.begin()
    batching.begin()

    const chosen = Array.from({ length: 40 }, () => batching.choose({ items: [alone], size: 512 }))

    expect(chosen).toContainEqual([whole(alone)])
  })

  test('are not waited for when they have ended', () => {
    const batching = createBatching()
    const alone = item(0)
    batching.begin()
    batching.begin()
    batching.end()

    expect(batching.choose({ items: [alone], size: 512 })).toEqual([whole(alone)])
  })

  test('never hold up a prompt', () => {
    const batching = createBatching()
    const prompt = item(0, 20)
    batching.begin()
    batching.begin()

    expect(batching.choose({ items: [prompt], size: 512 })).toEqual([whole(prompt)])
  })
})
