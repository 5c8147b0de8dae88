/** What arguments may be, found in a real folder; and that an engine that is held to it cannot invent a path. */
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEmbeddedModel } from '../../src/embedded/engine.ts'
import { knownValues, namedPaths } from '../../src/session/known-values.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import type { ModelRequest } from '../../src/protocol/model.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject, toolContext } from '../support/project.ts'

const tools = builtinTools({ list: () => [] })
const core = new Set(['list_files', 'read_file', 'search_text', 'edit_file', 'write_file', 'call_tool'])

const request = (prompt: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: 'r',
  sessionId: 's',
  turn: 1,
  system: '',
  messages: [{ role: 'user', text: prompt }],
  tools: tools.filter(({ name }) => core.has(name)).map(toToolSchema),
  ...more,
})

async function valuesIn(files: Record<string, string>, prompt: string) {
  const { files: reach, exec, results } = toolContext(await tempProject(files))
  return knownValues(
    request(prompt),
    { files: reach, exec, results, tools: () => tools },
    AbortSignal.timeout(60_000),
  )
}

const FILES = {
  '.gitignore': 'dist/\n*.log\n',
  'src/a.ts': '',
  'src/deep/b.ts': '',
  'dist/out.js': '',
  'src/x.log': '',
}

describe('what is known', () => {
  test('are the files and folders, what is ignored, and what was named', async () => {
    const { sets, uses } = await valuesIn(FILES, 'Fix ./lib/missing.ts and the "other file.md".')

    expect(sets['file']?.exact).toEqual(
      expect.arrayContaining([
        '.gitignore',
        'src/a.ts',
        'src/deep/b.ts',
        'src/x.log',
        'lib/missing.ts',
        'other file.md',
      ]),
    )
    expect(sets['file']?.open).toEqual(['dist/'])
    expect(sets['folder']?.exact).toEqual(expect.arrayContaining(['.', 'src', 'src/deep', 'dist']))
    expect(sets['target']?.folders).toEqual(expect.arrayContaining(['', 'src/', 'src/deep/', 'lib/']))
    expect(uses).toMatchObject({
      'read_file.path': 'file',
      'edit_file.path': 'file',
      'write_file.path': 'target',
      'list_files.path': 'folder',
      'search_text.path': 'place',
      'call_tool.name': 'tool',
    })
  })

  test('tools that are shown are not called by another way', async () => {
    const { sets } = await valuesIn({}, 'x')

    expect(sets['tool']?.exact).toContain('find_files')
    expect(sets['tool']?.exact).not.toContain('read_file')
  })
})

test('paths are free in a project of more than five thousand files', async () => {
  const { files, results, exec } = toolContext(await tempProject({}))
  const output = Array.from({ length: 5_001 }, (_, at) => `f${at}.ts`).join('\n')
  const many = { ...exec, program: async () => ({ exitCode: 0, output, timedOut: false, omittedBytes: 0 }) }

  const { uses } = await knownValues(
    request('x'),
    { files, exec: many, results, tools: () => tools },
    AbortSignal.timeout(60_000),
  )

  expect(Object.keys(uses).filter((use) => use.endsWith('.path'))).toEqual([])
})

test('paths are named by people and by results, not by the model', () => {
  const named = namedPaths({
    messages: [
      { role: 'user', text: 'Look at src/a.ts, please.' },
      { role: 'assistant', text: 'I read made/up.ts', calls: [] },
      { role: 'tool', callId: '1', text: 'lib/b.ts:12: error in ../c/d.ts', ok: true },
    ],
  })

  expect(named).toEqual(expect.arrayContaining(['src/a.ts', 'lib/b.ts', '../c/d.ts']))
  expect(named).not.toContain('made/up.ts')
})

test('an engine that owns its sampling reads only what is there', async () => {
  const path = fileURLToPath(new URL('../../models/covey-nano.gguf', import.meta.url))
  const model = await createEmbeddedModel({ name: 'plain', path, window: 2048, dialect: 'hermes' })
  onTestFinished(() => model.close())
  const values = await valuesIn({ 'src/alpha.ts': '', 'src/beta.ts': '', 'docs/gamma.md': '' }, 'Read it.')
  const paths: string[] = []

  for (const seed of [1, 2, 3]) {
    const asked = request('Read the file omega.', {
      toolChoice: { name: 'read_file' },
      values,
      seed,
      temperature: 1.5,
      maxTokens: 200,
    })
    for await (const event of model.stream(asked, AbortSignal.timeout(120_000))) {
      if (event.type === 'tool-call') paths.push((JSON.parse(event.call.input) as { path: string }).path)
    }
  }

  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((each) => !['src/alpha.ts', 'src/beta.ts', 'docs/gamma.md'].includes(each))).toEqual([])
})
