/** The threat model says how many tries each class has; `npx vitest run test/guard/escape/table.test.ts -u` writes it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allTries } from './tries/all.ts'

const PAGE = fileURLToPath(new URL('../../../docs/threat-model.md', import.meta.url))

test('the threat model counts the tries of each class as they are', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const counts = allTries.map(({ tries }) => tries.length)
  const rows = counts.values()

  const counted = page
    .replaceAll(/^(\| [\w ]+ \| )\d+(?= \|)/gm, (row, title: string) => `${title}${rows.next().value ?? row}`)
    .replace(/holds \d+ tries/, `holds ${counts.reduce((sum, count) => sum + count, 0)} tries`)

  expect(page.match(/^\| [\w ]+ \| \d+ \|/gm)).toHaveLength(counts.length)
  await expect(counted).toMatchFileSnapshot(PAGE)
})
