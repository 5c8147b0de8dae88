import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryResults, openResults } from '../../src/session/results.ts'
import { newFolder } from './support.ts'
import { runs } from '../support/runs.ts'

describe.each([
  ['on disk', async () => openResults(join(await newFolder(), 'results'))],
  ['in memory', async () => memoryResults()],
])('%s', (_kind, open) => {
  test('a result is numbered, measured, listed and read back', async () => {
    const results = await open()

    const [first, second] = await Promise.all([
      results.put('npm test', 'one\ntwo\n'),
      results.put('cat é.txt', 'é'),
    ])

    expect(first).toEqual({ id: 'r1', label: 'npm test', bytes: 8, lines: 2 })
    expect(second).toEqual({ id: 'r2', label: 'cat é.txt', bytes: 2, lines: 1 })
    expect(await results.list()).toEqual([first, second])
    expect(await results.read('r1')).toBe('one\ntwo\n')
    expect(await results.read('r2')).toBe('é')
  })

  test.each(['r3', 'r0', '', '../log', 'r1.txt', 'r99999999999999999999'])('%j is no result', async (id) => {
    const results = await open()
    await results.put('a', 'b')

    expect(await results.read(id)).toBeUndefined()
  })
})

test('a huge result is cut and says so', async () => {
  const results = memoryResults()

  const stored = await results.put('yes', `${'x'.repeat(64 * 1_048_576 - 1)}é and more`)

  const text = (await results.read(stored.id)) ?? ''
  expect(text.slice(-55)).toMatch(/x\n\[cut: the first 64 MiB of 65 MiB are kept\]$/)
  expect(text.length).toBe(stored.bytes)
})

test('any label and any text come back as they were, within a line of header', async () => {
  const results = await openResults(join(await newFolder(), 'results'))

  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'grapheme' }),
      async (label, text) => {
        const stored = await results.put(label, text)

        expect(await results.read(stored.id)).toBe(text)
        expect((await results.list()).at(-1)).toEqual(stored)
      },
    ),
    {
      numRuns: runs(15, 50),
      examples: [
        ['\u0000'.repeat(300), '\n'],
        ['', ''],
      ],
    },
  )
})

test('numbering goes on after a resume', async () => {
  const folder = join(await newFolder(), 'results')
  const before = await openResults(folder)
  for (let count = 0; count < 11; count++) await before.put(`call ${count}`, 'text')

  const after = await openResults(folder)

  expect((await after.put('next', 'text')).id).toBe('r12')
  expect((await after.list()).map(({ id }) => id)).toEqual(
    Array.from({ length: 12 }, (_, index) => `r${index + 1}`),
  )
})

test('a changed file is not listed but can be read', async () => {
  const folder = join(await newFolder(), 'results')
  await mkdir(folder)
  await writeFile(join(folder, 'r1.txt'), 'no header\ntext')
  await writeFile(join(folder, 'notes.txt'), 'not ours')

  const results = await openResults(folder)

  expect(await results.list()).toEqual([])
  expect(await results.read('r1')).toBe('text')
})

test('the oldest leave when there is no room for all, also after a resume', async () => {
  const folder = join(await newFolder(), 'results')
  const results = await openResults(folder, 25)
  for (const text of ['0123456789', '0123456789', '0123456789']) await results.put('call', text)

  const before = (await results.list()).map(({ id }) => id)
  await openResults(folder, 80)
  const after = (await results.list()).map(({ id }) => id)

  expect(before).toEqual(['r2', 'r3'])
  expect(after).toEqual(['r3'])
  expect(await results.read('r1')).toBeUndefined()
})
