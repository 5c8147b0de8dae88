import { describe, expect, test } from 'vitest'
import { openCodeIndex } from '../../src/memory/code/open-index.ts'
import { memoryEquipment } from '../../src/memory/equipment.ts'
import { createRecall, createRemember } from '../../src/memory/remember.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { tokensOf, toolsAsJson } from '../support/tokens.ts'
import { memoryIn } from './memories.ts'

const context = toolContext('/')

describe('remember', () => {
  test('says what became of the fact', async () => {
    const remember = createRemember(await memoryIn())
    const say = async (text: string) => (await remember.run({ text }, context)).text

    expect(await say('The API listens on port 8080')).toBe('Remembered as 1 (fact).')
    expect(await say('The API listens on port 8080')).toBe('Known already, as 1.')
    expect(await say('The API listens on port 9090')).toBe('Remembered as 2 (fact). It takes the place of 1.')
  })
})

describe('recall', () => {
  test('shows facts with what they are and since when', async () => {
    const memory = await memoryIn()
    await memory.add({ text: 'lesson: symptom: tests hang. fix: rename the config', source: 'model' })
    const recall = createRecall(memory)

    expect(await recall.run({ query: 'hanging tests' }, context)).toEqual({
      ok: true,
      text: '1 [lesson, 2026-01-01] symptom: tests hang. fix: rename the config',
    })
    expect((await recall.run({ query: 'zebra' }, context)).text).toBe('Nothing is remembered about that.')
  })
})

test('a question leaves without the secrets in it, from any caller', async () => {
  const asked: string[] = []
  const embed = async (texts: readonly string[]) => {
    asked.push(...texts)
    return texts.map(() => [1])
  }
  const root = await tempProject()
  const { files, exec } = toolContext(root)
  const { tools, sources } = memoryEquipment({
    memory: await memoryIn(undefined, { embedder: { model: 'one', embed } }),
    files,
    exec,
    outgoing: async (text) => text.replaceAll('hunter2', '[secret]'),
    repoMap: false,
    window: 8_192,
    countTokens: tokensOf,
  })

  await tools()[1]!.run({ query: 'who uses hunter2?' }, context)
  await sources[0]!.contribute('log in with hunter2')

  expect(asked).toEqual(['who uses [secret]?', 'log in with [secret]'])
})

test('the tools cost little, and a part that is off brings nothing', async () => {
  const root = await tempProject()
  const { files, exec } = toolContext(root)
  const outgoing = async (text: string) => text
  const context = { files, exec, outgoing, repoMap: true, window: 32_768, countTokens: tokensOf }
  const index = await openCodeIndex({ warn: () => {} })
  const memory = await memoryIn()

  const full = memoryEquipment({ ...context, memory, index })
  const small = memoryEquipment({ ...context, memory, index, window: 8_192 })

  expect(full.tools().map(({ name, category }) => [name, category])).toEqual([
    ['remember', 'memory'],
    ['recall', 'memory'],
    ['search_code', 'search'],
  ])
  expect(full.tools().filter((tool) => tokensOf(toolsAsJson([toToolSchema(tool)])) > 60)).toEqual([])
  expect(full.sources.map(({ name, place }) => [name, place])).toEqual([
    ['repo map', 'frozen'],
    ['memory', 'run'],
  ])
  expect(small.sources.map(({ name }) => name)).toEqual(['memory'])
  expect(memoryEquipment(context)).toMatchObject({ sources: [] })
  index.close()
})
