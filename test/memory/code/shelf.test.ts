import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pruneIndexes } from '../../../src/memory/code/shelf.ts'
import { tempProject } from '../../support/project.ts'

test('of the indexes of many projects those used last are kept, and the one in use whatever its age', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(2, '0')}.db`)
  const folder = await tempProject(Object.fromEntries(names.map((name) => [name, 'x'])))
  for (const [age, name] of names.entries()) await utimes(join(folder, name), age, 1_000_000 - age)

  await pruneIndexes(folder, join(folder, '29.db'))

  expect((await readdir(folder)).toSorted()).toEqual([...names.slice(0, 19), '29.db'])
})

test('a folder that is not there is no trouble', async () => {
  await expect(pruneIndexes('/nowhere/at/all', '/nowhere/at/all/a.db')).resolves.toBeUndefined()
})
