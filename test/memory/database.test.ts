import { expect, test } from 'vitest'
import { openDatabase } from '../../src/memory/database.ts'

test('a full disk is named as one, and what was begun leaves nothing behind', async () => {
  const kept = await openDatabase({
    schema: 'CREATE TABLE word (text TEXT)',
    version: 1,
    durability: 'normal',
    warn: () => {},
  })
  const write = (...texts: readonly string[]) =>
    kept.use((database) =>
      database.transact(() => {
        for (const text of texts) database.run('INSERT INTO word (text) VALUES (?)', text)
      }),
    )
  await write('before')
  await kept.use((database) => database.rows('PRAGMA max_page_count = 4'))

  await expect(write('half', 'x'.repeat(100_000))).rejects.toMatchObject({
    code: 'storage-failed',
    message: expect.stringContaining('no space is left on the disk; free some and try again'),
  })
  await write('after')

  const words = await kept.use((database) => database.rows<{ text: string }>('SELECT text FROM word'))
  expect(words.map(({ text }) => text)).toEqual(['before', 'after'])
  kept.close()
})
