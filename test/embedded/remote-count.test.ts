/** Counting with a tokenizer in another process: an estimate first, exact from then on. */
import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/context/count.ts'
import { createRemoteCounter } from '../../src/embedded/remote-count.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog, again and again, until the evening comes. '
const later = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('a text is estimated once and exact from then on; others follow its ratio', async () => {
  const asked: (readonly string[])[] = []
  const count = createRemoteCounter(async (texts) => {
    asked.push(texts)
    return texts.map((text) => estimateTokens(text) * 2)
  })

  const first = count(TEXT)
  count(TEXT)
  await later()

  expect(first).toBe(estimateTokens(TEXT))
  expect(asked).toEqual([[TEXT]])
  expect(count(TEXT)).toBe(estimateTokens(TEXT) * 2)
  expect(count('some other words')).toBe(estimateTokens('some other words') * 2)
})

test('where nothing can be asked, or the answer is not a count, the estimate stays', async () => {
  const silent = createRemoteCounter(() => undefined)
  const broken = createRemoteCounter(async () => [Number.NaN])
  const failing = createRemoteCounter(async () => Promise.reject(new Error('gone')))

  for (const count of [silent, broken, failing]) {
    count(TEXT)
    await later()
    expect(count(TEXT)).toBe(estimateTokens(TEXT))
  }
})

test('short texts are not asked about', async () => {
  let asked = 0
  const count = createRemoteCounter(async (texts) => {
    asked += texts.length
    return []
  })

  count('one line')
  await later()

  expect(asked).toBe(0)
})
