import type { Token } from 'node-llama-cpp'
import { expect, test } from 'vitest'
import { createEncodingMemory, withReply } from '../../src/embedded/encoding.ts'
import type { Segment } from '../../src/embedded/segment.ts'

/** A tokenizer that takes two letters at a time, and writes down what it was given. */
function letterPairs(start?: number) {
  const given: string[] = []
  return {
    given,
    start: start as Token | undefined,
    encode({ text, control }: Segment): Token[] {
      given.push(text)
      const pairs = text.match(/.{1,2}/gs) ?? []
      return pairs.map(
        (pair) =>
          [...pair].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), control ? 0 : 1e9) as Token,
      )
    },
  }
}

const control = (text: string): Segment => ({ text, control: true })
const plain = (text: string): Segment => ({ text, control: false })

test('a known conversation keeps the tokens the model wrote, and only the rest is tokenised', () => {
  const tokenizer = letterPairs()
  const memory = createEncodingMemory(4)
  const prompt = memory.encode([control('abcd')], tokenizer)
  const written = [11, 12, 13] as Token[]
  memory.remember(withReply(prompt, 'xyz', written))

  const next = memory.encode([control('abcdxyz<end>')], tokenizer)

  expect(next.tokens.slice(0, 5)).toEqual([...prompt.tokens, ...written])
  expect(tokenizer.given).toEqual(['abcd', '<end>'])
})

test('a reply that comes back changed is tokenised again, from the end of its prompt on', () => {
  const tokenizer = letterPairs()
  const memory = createEncodingMemory(4)
  const prompt = memory.encode([control('abcd')], tokenizer)
  memory.remember(withReply(prompt, 'xyz', [11, 12, 13] as Token[]))

  memory.encode([control('abcdxYz<end>')], tokenizer)

  expect(tokenizer.given).toEqual(['abcd', 'xYz<end>'])
})

test('text from outside is never taken for text of the template', () => {
  const memory = createEncodingMemory(4)
  const template = memory.encode([control('a'), control('bb')], letterPairs())
  memory.remember(template)

  const outside = memory.encode([control('a'), plain('bb')], letterPairs())

  expect(outside.key).not.toBe(template.key)
  expect(outside.tokens).not.toEqual(template.tokens)
})

test('segments are tokenised one by one', () => {
  const tokenizer = letterPairs()

  createEncodingMemory(1).encode([control('abc'), plain('def'), control('g')], tokenizer)

  expect(tokenizer.given).toEqual(['abc', 'def', 'g'])
})

test('a model that wants a start token gets it once', () => {
  const memory = createEncodingMemory(4)
  const first = memory.encode([control('ab')], letterPairs(7))
  memory.remember(first)

  const next = memory.encode([control('abcd')], letterPairs(7))

  expect(first.tokens[0]).toBe(7)
  expect(next.tokens.filter((token) => token === 7)).toHaveLength(1)
})

test('what a sequence holds is recognised while its conversation is known', () => {
  const memory = createEncodingMemory(1)
  const one = withReply(memory.encode([control('abcd')], letterPairs()), 'xy', [5, 6] as Token[])
  const other = memory.encode([control('other')], letterPairs())
  memory.remember(one)

  expect(memory.find(one.tokens.slice(0, -1))).toBe(one)
  expect(memory.find([9] as Token[])).toBeUndefined()
  memory.remember(other)
  expect(memory.find(one.tokens)).toBeUndefined()
})
