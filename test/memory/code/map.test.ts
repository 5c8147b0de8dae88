import { expect, test } from 'vitest'
import { openCodeIndex } from '../../../src/memory/code/open-index.ts'
import { projectFiles } from '../../../src/memory/project-files.ts'
import { rankFiles, repoMapSources } from '../../../src/memory/code/map.ts'
import { tempProject, toolContext } from '../../support/project.ts'
import { tokensOf } from '../../support/tokens.ts'

test('files whose names are used most come first; plain words and common names count little', () => {
  const ranked = rankFiles([
    { path: 'a.ts', name: 'run', mentions: 90 },
    { path: 'b.ts', name: 'openStore', mentions: 8 },
    { path: 'b.ts', name: 'closeStore', mentions: 16 },
    { path: 'c.ts', name: 'readAll', mentions: 4 },
    { path: 'd.ts', name: 'readAll', mentions: 4 },
    { path: 'test/b.test.ts', name: 'openStoreTwice', mentions: 50 },
  ])

  expect(ranked).toEqual([
    { path: 'b.ts', names: ['closeStore', 'openStore'] },
    { path: 'c.ts', names: ['readAll'] },
    { path: 'd.ts', names: ['readAll'] },
    { path: 'a.ts', names: ['run'] },
  ])
})

test('a large window gets a map within its budget, a small one none', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `src/module${index}.ts`,
      `export function computeThing${index}() {}\nexport const useThing${index} = () => computeThing${index % 7}()\n`,
    ]),
  )
  const root = await tempProject({ ...files, 'src/broken.bin': Uint8Array.of(0, 1, 2) })
  const index = await openCodeIndex({ warn: () => {} })
  const parts = { index, files: projectFiles(toolContext(root)), countTokens: tokensOf }

  const [source] = repoMapSources({ ...parts, window: 32_768 })
  const text = (await source?.contribute('')) ?? ''

  expect(repoMapSources({ ...parts, window: 16_384 })).toEqual([])
  expect(text).toMatch(/^Most used files and what they define:\n/)
  expect(text).toContain('src/module1.ts: computeThing1, useThing1')
  expect(tokensOf(text)).toBeLessThanOrEqual(32_768 * 0.03)
  index.close()
})
