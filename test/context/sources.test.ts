import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, onTestFinished, test } from 'vitest'
import { gatherSections, noteSources, situationSource } from '../../src/context/sources.ts'
import type { Source } from '../../src/protocol/source.ts'

async function project(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'sources-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return (path: string) => readFile(join(root, path), 'utf8').catch(() => undefined)
}

const now = () => new Date(2026, 0, 2)

test('every note file that exists is a section; an empty or repeated one is none', async () => {
  const read = await project({
    'AGENTS.md': 'Use tabs.\n',
    'CLAUDE.md': 'Use tabs.\n',
    '.covey/notes.md': 'Run npm test.',
  })

  expect(await gatherSections(noteSources(read), 'frozen', '')).toEqual([
    { name: 'AGENTS.md', text: 'Use tabs.' },
    { name: '.covey/notes.md', text: 'Run npm test.' },
  ])
  expect(await gatherSections(noteSources(await project({})), 'frozen', '')).toEqual([])
})

test('when and where is one short line', async () => {
  const read = await project({ '.git/HEAD': 'ref: refs/heads/main\n' })

  const line = await situationSource(read, now).contribute('')

  expect(line).toBe('[2026-01-02, branch main]')
  expect(countTokens(line ?? '')).toBeLessThanOrEqual(20)
})

test.each([
  ['no repository', {}],
  ['a commit without a branch', { '.git/HEAD': '6832557e5a0d4a2f\n' }],
  ['a worktree', { '.git': 'gitdir: ../elsewhere\n' }],
])('the branch is left out for %s', async (_name, files) => {
  const read = await project(files)

  expect(await situationSource(read, now).contribute('')).toBe('[2026-01-02]')
})

test('a source contributes only in its place, and receives the prompt', async () => {
  const source = (name: string, place: Source['place']): Source => ({
    name,
    place,
    contribute: (prompt) => Promise.resolve(`${name}: ${prompt}`),
  })
  const sources = [source('a', 'run'), source('b', 'frozen'), source('c', 'run')]

  expect(await gatherSections(sources, 'run', 'hi')).toEqual([
    { name: 'a', text: 'a: hi' },
    { name: 'c', text: 'c: hi' },
  ])
})
