import { expect, test } from 'vitest'
import { noSources } from '../../../src/nano/weights/format.ts'
import {
  advance,
  currentOf,
  isLookToo,
  isPlainlyDone,
  type Progress,
  shownSteps,
  undoneOf,
} from '../../../src/nano/steps/progress.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'
import type { NanoStep } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const files = createFiles({ root: await tempProject({ 'docs/a.md': 'alpha\n', 'docs/b.md': 'beta\n' }) })

const progressOf = (...clauses: string[]): Progress => ({
  category: 'read',
  clauses,
  project: createPathProject([], new Map()),
  reached: [{ clause: clauses[0] ?? '', sources: noSources, from: 0 }],
})

const listed: NanoStep = {
  call: { name: 'list_files', input: { path: 'docs' } },
  ok: true,
  text: 'docs/: a.md, b.md',
  shown: 'docs/: a.md, b.md',
}

test('the next clause is shown behind the last result, with the paths it may be about', async () => {
  const progress = progressOf('list docs', 'open the first one')

  expect(isPlainlyDone(progress, [])).toBe(false)
  expect(isPlainlyDone(progress, [listed])).toBe(true)
  expect(await advance(progress, [listed], files)).toBe(true)
  expect(currentOf(progress)).toEqual({
    clause: 'open the first one',
    sources: { ...noSources, paths: ['docs/a.md', 'docs/b.md', 'docs/'] },
    from: 1,
  })
  expect(shownSteps(progress, [listed])).toEqual([{ ...listed, next: currentOf(progress) }])
})

test('a run goes no further than its clauses, and not on from a failure', async () => {
  expect(await advance(progressOf('list docs'), [listed], files)).toBe(false)
  expect(await advance(progressOf('list docs', 'open it'), [{ ...listed, ok: false }], files)).toBe(false)
})

test('a clause that speaks of several things may need several steps', () => {
  expect(isPlainlyDone(progressOf('copy both to docs', 'list docs'), [listed])).toBe(false)
  expect(isPlainlyDone(progressOf('copy a.md and b.md to docs', 'list docs'), [listed])).toBe(false)
})

test('within a clause a listing is followed by its paths', () => {
  const [step] = shownSteps(progressOf('open the second one in docs'), [listed])

  expect(step?.next).toEqual({
    clause: '',
    sources: { ...noSources, paths: ['docs/a.md', 'docs/b.md', 'docs/'] },
  })
})

test('clauses for which nothing was called are left undone, but for a look at what came of the last step', async () => {
  const progress = progressOf(
    'list docs',
    'open the first one',
    'run npm test',
    'show me the output',
    'tell me what is missing',
  )

  expect(undoneOf(progress, [])).toEqual([])
  expect(undoneOf(progress, [listed])).toEqual(['open the first one', 'run npm test'])
  await advance(progress, [listed], files)
  expect(undoneOf(progress, [listed])).toEqual(['open the first one', 'run npm test'])
  expect(undoneOf(progress, [listed, listed])).toEqual(['run npm test'])
})

test('what is said without a verb is looked at like the one before', () => {
  const at = (clause: string): Progress => ({
    ...progressOf('open a', clause),
    reached: [
      { clause: 'open a', sources: noSources, from: 0 },
      { clause, sources: noSources, from: 1 },
    ],
  })

  expect(isLookToo(at('and then the pears, out of the fruit folder'), [listed])).toBe(true)
  expect(isLookToo(at('then the last line of todo.txt'), [listed])).toBe(true)
  expect(isLookToo(at('then delete the pears'), [listed])).toBe(false)
  expect(isLookToo(at('then the port should be 5'), [listed])).toBe(false)
})
