import { expect, test } from 'vitest'
import { findSources, withoutNeedlessAppend } from '../../../src/nano/project/sources.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

test('paths and scripts of a real folder are found, without what programs made', async () => {
  const root = await tempProject({
    'package.json': '{"scripts":{"test":"vitest","lint":"oxlint"}}',
    'src/price.ts': '',
    'node_modules/price/index.js': '',
    'dist/price.js': '',
  })

  const sources = await findSources('lint price', createFiles({ root }))

  expect(sources).toEqual({
    paths: ['src/price.ts'],
    scripts: [
      { label: 'lint', command: 'npm run lint' },
      { label: 'test', command: 'npm test' },
      { label: 'install', command: 'npm install' },
    ],
    ids: [],
    lines: [
      {
        path: 'package.json',
        number: 1,
        text: '{"scripts":{"test":"vitest","lint":"oxlint"}}',
      },
    ],
  })
})

test('a folder that cannot be read has nothing to offer', async () => {
  const files = {
    list: () => Promise.reject(new Error('no')),
    read: () => Promise.reject(new Error('no')),
    info: () => Promise.reject(new Error('no')),
  }

  expect(await findSources('read a.ts', files)).toEqual({ paths: [], scripts: [], ids: [], lines: [] })
})

test('a file that is not there is made, not appended to', async () => {
  const files = createFiles({ root: await tempProject({ 'old.txt': 'x' }) })
  const append = (path: string) => ({ name: 'write_file', input: { path, content: 'y', append: true } })

  expect(await withoutNeedlessAppend(append('new.txt'), files)).toEqual({
    name: 'write_file',
    input: { path: 'new.txt', content: 'y' },
  })
  expect(await withoutNeedlessAppend(append('old.txt'), files)).toEqual(append('old.txt'))
  expect(await withoutNeedlessAppend(append('/etc/passwd'), files)).toEqual(append('/etc/passwd'))
})
