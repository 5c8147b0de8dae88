/** The threat model says how many tries each class has. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allTries } from './tries/all.ts'

test('the threat model counts the tries of each class as they are', () => {
  const page = readFileSync(new URL('../../../docs/threat-model.md', import.meta.url), 'utf8')
  const counts = Array.from(page.matchAll(/^\| [\w ]+ \| (\d+) \|/gm), ([, count]) => Number(count))
  const all = allTries.map(({ tries }) => tries.length)

  expect(counts).toEqual(all)
  expect(page).toContain(`holds ${all.reduce((sum, count) => sum + count, 0)} tries`)
})
