import { beforeAll, expect, test } from 'vitest'
import type { ProjectFiles } from '../../../src/nano/project/sources.ts'
import { scopeThatHasIt } from '../../../src/nano/project/search-scope.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

let files: ProjectFiles
beforeAll(async () => {
  files = createFiles({
    root: await tempProject({ 'feed/suppliers.md': 'Denny 555-0110\n', 'machines/mixer.json': '{}\n' }),
  })
})

const search = (path: string) => ({ name: 'search_text', input: { pattern: 'Denny', path } })

test('a search where nothing is found goes everywhere if another file has the text', async () => {
  const call = await scopeThatHasIt(search('machines'), "what's Denny's number", files)

  expect(call).toEqual({ name: 'search_text', input: { pattern: 'Denny' } })
})

test('a scope that has the text, or that the request spells, stays', async () => {
  const fits = search('feed/')
  const spelled = search('machines/mixer.json')

  expect(await scopeThatHasIt(fits, 'find Denny in the feed folder', files)).toBe(fits)
  expect(await scopeThatHasIt(spelled, 'find Denny in machines/mixer.json', files)).toBe(spelled)
})
