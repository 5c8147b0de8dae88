/** What Tab offers behind an at sign. */
import { expect, test } from 'vitest'
import { createCompletion } from '../../src/tui/completion.ts'

const { getSuggestions } = createCompletion({
  commands: () => [],
  files: async () => ['src/main.ts', 'src/view.ts', 'a:10'],
  values: async () => [],
})

test.each([
  ['@main', ['@src/main.ts']],
  ['@main:10-20', ['@src/main.ts:10-20']],
  ['@src/v:7', ['@src/view.ts:7']],
  ['@a:10', ['@a:10']],
  // Whole already: Enter sends it.
  ['@src/main.ts:10-20', undefined],
])('%s', async (typed, wanted) => {
  const { signal } = new AbortController()

  const found = await getSuggestions([typed], 0, typed.length, { signal })

  expect(found?.items.map(({ value }) => value)).toEqual(wanted)
})
