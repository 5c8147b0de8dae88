import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { childProgram } from '../support/child.ts'
import { tempProject } from '../support/project.ts'
import { runs } from '../support/runs.ts'

const program = await childProgram(new URL('data-view/memory.ts', import.meta.url))

async function write(path: string, count: number, piece: (index: number) => string): Promise<void> {
  const file = createWriteStream(path)
  for (let index = 0; index < count; index++) {
    if (!file.write(piece(index))) await once(file, 'drain')
  }
  await finished(file.end())
}

const look = (root: string, path: string, view: string): { text: string; grownBytes: number } =>
  JSON.parse(execFileSync(process.execPath, [program, root, path, view], { encoding: 'utf8' })) as {
    text: string
    grownBytes: number
  }

const LIMIT = 200 * 1024 * 1024
/** Of a hundred kilobytes. */
const BLOCKS = runs(3_000, 10_000)

test('more CSV than memory may be used is described', async () => {
  const root = await tempProject()
  const line = (id: number): string => `${id};"name ${id % 1000}\n${'x'.repeat(80)}";${id % 97}\n`
  await write(join(root, 'a.csv'), BLOCKS + 1, (index) =>
    index === 0
      ? 'id;name;amount\n'
      : Array.from({ length: 1000 }, (_, at) => line((index - 1) * 1000 + at)).join(''),
  )

  const { text, grownBytes } = look(root, 'a.csv', 'describe')

  const rows = BLOCKS * 1000
  expect(text).toMatch(
    new RegExp(`^${rows} rows\\nid: integer, 0 null, ~\\d+ distinct, min 0, max ${rows - 1}, mean`),
  )
  expect(grownBytes).toBeLessThan(LIMIT)
})

test('one field larger than that, in a quotation that is never closed', async () => {
  const root = await tempProject()
  await write(join(root, 'a.csv'), runs(401, 1_001), (index) =>
    index === 0 ? 'a,b\n1,"' : 'x'.repeat(1_000_000),
  )

  const { text, grownBytes } = look(root, 'a.csv', 'shape')

  expect(text).toMatch(/^1 row, 2 columns.*\n.*never closed.*\n\[1 huge field cut\]$/)
  expect(grownBytes).toBeLessThan(LIMIT)
})

test('200 MB of JSON in one array', async () => {
  const root = await tempProject()
  const item = (id: number): string =>
    JSON.stringify({ id, name: `name ${id % 1000}`, tags: ['a', { b: '}]' }] })
  await write(join(root, 'a.json'), 4001, (index) => {
    if (index === 4000) return ']'
    return (
      (index === 0 ? '[' : ',') + Array.from({ length: 1000 }, (_, at) => item(index * 1000 + at)).join(',')
    )
  })

  const { text, grownBytes } = look(root, 'a.json', 'shape')

  expect(text).toMatch(/^4000000 rows, 3 columns/)
  expect(grownBytes).toBeLessThan(LIMIT)
})
