/** Files named in a message: whole, or some of their lines. */
import { expect, test } from 'vitest'
import { createLook } from '../../src/app/session-look.ts'
import { createExec } from '../../src/guard/exec.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import type { Lease } from '../../src/protocol/arm.ts'
import { tempProject } from '../support/project.ts'

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length

async function look(files: Record<string, string>, window = 1000) {
  const root = await tempProject(files)
  const lease = { arm: { capabilities: { window } }, countTokens: words } as unknown as Lease
  return createLook({
    files: createFiles({ root }),
    exec: createExec({ cwd: root, env: process.env }),
    measure: () => lease,
  })
}

const five = 'one\ntwo\nthree\nfour\nfive\n'

test.each([
  ['a.txt:2-3', 'Lines 2-3 of 5 of the file a.txt:\n2\ttwo\n3\tthree', 'lines 2-3 of 5'],
  ['a.txt:4', 'Lines 4-4 of 5 of the file a.txt:\n4\tfour', 'lines 4-4 of 5'],
  ['a.txt:4-99,', 'Lines 4-5 of 5 of the file a.txt:\n4\tfour\n5\tfive', 'lines 4-5 of 5'],
  ['a.txt', 'The file a.txt:\none\ntwo\nthree\nfour\nfive\n', undefined],
  ['a.txt.', 'The file a.txt:\none\ntwo\nthree\nfour\nfive\n', undefined],
  ['b:10', 'The file b:10:\na file of this name', undefined],
  ['b:10:1', 'Lines 1-1 of 1 of the file b:10:\n1\ta file of this name', 'lines 1-1 of 1'],
])('@%s', async (path, text, part) => {
  const { mention } = await look({ 'a.txt': five, b: 'one\n', 'b:10': 'a file of this name' })

  expect(await mention(path)).toEqual({
    path: text.includes('file b:10') ? 'b:10' : 'a.txt',
    text,
    tokens: words(text),
    isOutline: false,
    ...(part !== undefined && { part }),
  })
})

test.each([
  ['a.txt:6', 'a.txt has 5 lines, 6-6 is outside of them; write @a.txt:1-5 or less.'],
  ['a.txt:0-2', 'a.txt has 5 lines, 0-2 is outside of them; write @a.txt:1-5 or less.'],
  ['a.txt:3-2', 'a.txt has 5 lines, 3-2 ends before it begins; write @a.txt:1-5 or less.'],
])('@%s names the bounds', async (path, message) => {
  const { mention } = await look({ 'a.txt': five })

  await expect(mention(path)).rejects.toThrow(message)
})

test('lines that do not fit the window are left out and counted; what does not exist is not mentioned', async () => {
  const many = Array.from({ length: 500 }, (_, at) => `line ${at + 1}`).join('\n')
  const { mention } = await look({ 'a.txt': many }, 200)

  const file = await mention('a.txt:101-500')

  expect(file?.part).toBe('lines 101-113 of 500')
  expect(file?.text.split('\n').at(-1)).toBe('113\tline 113')
  expect([await mention('none.txt'), await mention('none.txt:3'), await mention(':3')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
