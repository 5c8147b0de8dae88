/** The order of places by what they mean: with an arm that embeds, with a slow one and with one that fails. */
import { expect, test } from 'vitest'
import { openCodeIndex } from '../../../src/memory/code/open-index.ts'
import type { NamedEmbedder } from '../../../src/memory/meaning.ts'
import { projectFiles } from '../../../src/memory/project-files.ts'
import { tempProject, toolContext } from '../../support/project.ts'

const NEVER = new AbortController().signal

/** By words the first is nearer to the question; the second is what it means. */
const files = {
  'a.ts':
    'export function closeConnectionConnection(connection: Connection) {\n  connection.open = true\n}\n',
  'b.ts': 'export function hangUp(connection: Connection) {\n  connection.socket.destroy()\n}\n',
}

/** Knows that to hang up is to close. */
function createEmbedder(more: Partial<NamedEmbedder> = {}) {
  const asked: string[] = []
  const embed: NamedEmbedder['embed'] = async (texts) => {
    asked.push(...texts)
    return texts.map((text) => (/hangUp|^close the connection$/.test(text) ? [1, 0] : [0, 1]))
  }
  return { asked, embedder: { model: 'words', embed, weight: 3, ...more } }
}

async function search(embedder?: NamedEmbedder) {
  const root = await tempProject(files)
  const index = await openCodeIndex({ warn: () => {}, ...(embedder && { embedder }) })
  const find = async () => {
    const query = { text: 'close the connection', limit: 5 }
    const { places } = await index.search(query, projectFiles(toolContext(root)), NEVER)
    return places.map(({ name }) => name)
  }
  return { find, close: () => index.close() }
}

test('what means it comes before what only says it', async () => {
  const words = await search()
  const { asked, embedder } = createEmbedder()
  const meaning = await search(embedder)

  expect(await words.find()).toEqual(['closeConnectionConnection', 'hangUp'])
  expect(await meaning.find()).toEqual(['hangUp', 'closeConnectionConnection'])
  const before = asked.length
  await meaning.find()
  expect(asked.slice(before)).toEqual(['close the connection'])
  words.close()
  meaning.close()
})

test('an arm that fails, or does not answer in time, changes nothing', async () => {
  const failing = await search(
    createEmbedder({ embed: async () => Promise.reject(new Error('gone')) }).embedder,
  )
  const silent = await search(
    createEmbedder({
      answerMs: 20,
      embed: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
    }).embedder,
  )

  expect(await failing.find()).toEqual(['closeConnectionConnection', 'hangUp'])
  expect(await silent.find()).toEqual(['closeConnectionConnection', 'hangUp'])
  failing.close()
  silent.close()
})
