import { expect, test } from 'vitest'
import { memorySource } from '../../src/memory/source.ts'
import { tokensOf } from '../support/tokens.ts'
import { memoryIn, tempDatabase } from './memories.ts'

test('what is remembered about a prompt precedes it and counts as used', async () => {
  const memory = await memoryIn()
  await memory.add({ text: 'The API listens on port 9090', source: 'model' })
  await memory.add({ text: 'preference: short commit messages', source: 'person' })
  const source = memorySource({ memory, countTokens: tokensOf })

  const text = await source.contribute('On which port does the API listen?')

  expect(text).toBe('[remembered from earlier sessions; may be out of date]\n- The API listens on port 9090')
  expect((await memory.list()).map(({ uses }) => uses)).toEqual([1, 0])
})

test('nothing is said where nothing fits', async () => {
  const memory = await memoryIn()
  await memory.add({ text: 'The API listens on port 9090', source: 'model' })
  const source = memorySource({ memory, countTokens: tokensOf })

  expect(await source.contribute('write a haiku about the sea')).toBeUndefined()
  expect(await source.contribute('')).toBeUndefined()
})

test('a memory that cannot be read does not block a prompt', async () => {
  const path = tempDatabase()
  const memory = await memoryIn(path)
  const { fact } = await memory.add({ text: 'The API listens on port 9090', source: 'model' })
  const { default: Libsql } = await import('libsql')
  const database = new Libsql(path)
  database.exec('DROP TABLE fact')
  database.close()

  const said = await memorySource({ memory, countTokens: tokensOf }).contribute('which port?')

  expect(said).toBeUndefined()
  await expect(memory.used([fact])).resolves.toBeUndefined()
  await expect(memory.recall('which port?')).rejects.toMatchObject({ code: 'storage-failed' })
})

test('five facts take at most 300 tokens, however long they are', async () => {
  const memory = await memoryIn()
  for (const place of ['cellar', 'attic', 'garden', 'kitchen', 'garage', 'hall']) {
    const text = `The zebra in the ${place} ${'is striped and likes fresh grass in the morning '.repeat(20)}`
    await memory.add({ text, source: 'model' })
  }

  const text = await memorySource({ memory, countTokens: tokensOf }).contribute('where is the zebra?')

  expect(text?.split('\n').length).toBeGreaterThan(2)
  expect(tokensOf(text ?? '')).toBeLessThanOrEqual(300)
})
