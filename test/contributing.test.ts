/** The recipes of CONTRIBUTING.md: few files each, and they fit the source. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changed, type FileChange, readRecipes } from './support/recipes.ts'

const root = join(import.meta.dirname, '..')
const recipes = readRecipes(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))

const MOST_FILES: Readonly<Record<string, number>> = {
  'A tool': 2,
  'A dialect': 2,
  'A stop rule': 2,
  'A configuration key': 2,
  'A CLI command': 2,
  'A slash command': 1,
  'A server route': 2,
  'A permission mode': 2,
  'A hook event': 2,
  'A memory signal': 1,
}

test('there is a recipe for each, and it touches few files', () => {
  expect(recipes.map(({ title }) => title)).toEqual(Object.keys(MOST_FILES))
  expect(recipes.filter(({ title, changes }) => changes.length > (MOST_FILES[title] ?? 0))).toEqual([])
})

test.each(recipes)('$title: fits the source', ({ changes }) => {
  expect(changes.map(fits)).toEqual(changes.map(() => true))
})

function fits({ file, isNew, lines }: FileChange): boolean {
  const path = join(root, file)
  if (isNew) return !existsSync(path)
  return changed(readFileSync(path, 'utf8').split('\n'), lines, file).length > 0
}
