import { expect, test } from 'vitest'
import { isInside, matchesGlob } from '../../src/lib/path.ts'

test.each([
  ['/w/p', '/w/p', true],
  ['/w/p', '/w/p/a/b', true],
  ['/w/p', '/w/p/..a', true],
  ['/', '/etc', true],
  ['/w/p', '/w', false],
  ['/w/p', '/w/project', false],
  ['/w/p', '/w/q/p', false],
])('%s holds %s: %s', (folder, path, expected) => {
  expect(isInside(folder, path)).toBe(expected)
})

test.each([
  ['*.ts', 'src/deep/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/x/y/a.ts', true],
  ['**/*.{js,ts}', 'a/b.js', true],
  ['**/*.{js,ts}', 'a/b.py', false],
  ['./src/**', 'src/x/y', true],
  ['file-[0-9].txt', 'file-7.txt', true],
  ['file-[!0-9].txt', 'file-7.txt', false],
  ['?.md', 'a.md', true],
  ['a.b', 'axb', false],
  ['a+(b).ts', 'a+(b).ts', true],
  ['{open', 'x', false],
])('glob %s matches %s: %s', (glob, path, expected) => {
  expect(matchesGlob(path, glob)).toBe(expected)
})
