/** Finding by meaning, with an embedder that knows three ideas. */
import { describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/protocol/embedder.ts'
import { memoryIn, tempDatabase, textsOf } from './memories.ts'

const IDEAS = [/cat|pet|animal/i, /money|salary|paid/i, /rain|weather|wet/i]

const embed: Embedder = async (texts) =>
  texts.map((text) => IDEAS.flatMap((idea) => (idea.test(text) ? [1, 0.9] : [-0.1, -0.1])))

const add = async (memory: Awaited<ReturnType<typeof memoryIn>>, ...texts: readonly string[]) => {
  for (const text of texts) await memory.add({ text, source: 'person' })
}

/** Vectors are made in the background, from the first question on. */
async function settled(
  memory: Awaited<ReturnType<typeof memoryIn>>,
  query: string,
): Promise<readonly string[]> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const found = await textsOf(memory, query)
    if (found.length > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return []
}

describe('with an arm that embeds', () => {
  test('a fact is found that shares no word with the question', async () => {
    const memory = await memoryIn(undefined, { embedder: { model: 'three', embed } })
    await add(memory, 'Olga is a cat', 'Salaries arrive on the 25th', 'Take an umbrella when wet')

    expect((await settled(memory, 'which pets do we have?'))[0]).toBe('Olga is a cat')
  })

  test('what words and meaning both find comes first', async () => {
    const memory = await memoryIn(undefined, { embedder: { model: 'three', embed } })
    await add(memory, 'The cat sleeps', 'The pet shop opens at nine')
    await settled(memory, 'animal')

    expect((await textsOf(memory, 'pet shop'))[0]).toBe('The pet shop opens at nine')
  })

  test('another model gets vectors of its own', async () => {
    const path = tempDatabase()
    const first = await memoryIn(path, { embedder: { model: 'three', embed } })
    await add(first, 'Olga is a cat')
    await settled(first, 'pets')
    await first.close()
    const asked: string[] = []
    const other: Embedder = (texts, signal) => {
      asked.push(...texts)
      return embed(texts, signal)
    }

    const memory = await memoryIn(path, { embedder: { model: 'four', embed: other } })

    expect(await settled(memory, 'pets')).toEqual(['Olga is a cat'])
    expect(asked).toContain('Olga is a cat')
  })

  test('learns nothing of other projects', async () => {
    const path = tempDatabase()
    await add(await memoryIn(path, { project: '/home/ada/diary' }), 'Olga is a secret cat')
    const asked: string[] = []
    const watched: Embedder = (texts, signal) => {
      asked.push(...texts)
      return embed(texts, signal)
    }
    const memory = await memoryIn(path, { embedder: { model: 'three', embed: watched } })
    await add(memory, 'Emil is a cat')

    expect(await settled(memory, 'pets')).toEqual(['Emil is a cat'])
    expect(asked).not.toContain('Olga is a secret cat')
  })

  test('an unusable vector costs nothing but its help', async () => {
    const odd: Embedder = async (texts) =>
      texts.map((_, index) => (index % 2 === 0 ? [Number.NaN] : Array.from({ length: 200_000 }, () => 1)))
    const memory = await memoryIn(undefined, { embedder: { model: 'odd', embed: odd } })
    await add(memory, 'Olga is a cat', 'Emil is a cat')

    expect(await textsOf(memory, 'pets of Olga')).toEqual(['Olga is a cat'])
    expect(await textsOf(memory, 'Emil')).toEqual(['Emil is a cat'])
  })

  test('an arm that fails costs nothing but its help', async () => {
    const failing: Embedder = async () => {
      throw new Error('no model loaded')
    }
    const memory = await memoryIn(undefined, { embedder: { model: 'three', embed: failing } })
    await add(memory, 'Olga is a cat')

    expect(await textsOf(memory, 'cat')).toEqual(['Olga is a cat'])
  })
})
