import { describe, expect, test } from 'vitest'
import { noSources } from '../../../src/nano/weights/format.ts'
import { nextCall, replaceFound, sameAgain } from '../../../src/nano/steps/next-one.ts'
import { createPathProject } from '../../../src/nano/paths/project.ts'
import type { NanoCall, NanoStep } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

const project = {
  'a/app.yaml': 'port: 4723\n',
  'b/web.yaml': 'port: 4723\n',
  'c/api.yaml': 'port: 4723\n',
  'notes/list_may.md': 'x\n',
  'docs/old/x.md': 'x\n',
}
const files = createFiles({ root: await tempProject(project) })
const paths = [...Object.keys(project), 'docs/', 'docs/old/']
const step = (name: string, input: NanoCall['input'], text = ''): NanoStep => ({
  call: { name, input },
  ok: true,
  text,
  shown: text,
})
const after = async (clause: string, ...steps: NanoStep[]): Promise<NanoCall | undefined> => {
  const reached = [{ clause, sources: { ...noSources, paths }, from: 0 }]
  const progress = {
    category: 'read' as const,
    clauses: [clause],
    project: createPathProject([], new Map()),
    reached,
  }
  const next = await nextCall({ progress, run: { request: clause, steps }, files })
  // None of these may be made unasked.
  expect(next?.isLikely ?? false).toBe(false)
  return next?.call
}
const edited = step('edit_file', { path: 'a/app.yaml', old: 'port: 4723', new: 'port: 4725' })
const edit = (path: string): NanoCall => ({
  name: 'edit_file',
  input: { path, old: 'port: 4723', new: 'port: 4725' },
})

test('the same with what is named beside it', async () => {
  expect(await after('show docs and docs/old', step('list_files', { path: 'docs' }))).toEqual({
    name: 'list_files',
    input: { path: 'docs/old/' },
  })
  expect(
    await after('delete app.yaml and the may list', step('delete_file', { path: 'a/app.yaml' })),
  ).toEqual({
    name: 'delete_file',
    input: { path: 'notes/list_may.md' },
  })
  const copied = step('copy_file', { from: 'a/app.yaml', to: 'new/app.yaml' })
  expect(await after('copy app.yaml there and web.yaml too', copied)).toEqual({
    name: 'copy_file',
    input: { from: 'b/web.yaml', to: 'new/web.yaml' },
  })
})

test('nothing with what is only spoken of', async () => {
  const deleted = step('delete_file', { path: 'a/app.yaml' })

  expect(await after('delete app.yaml, web.yaml stays', deleted)).toBeUndefined()
  const renamed = step('move_file', { from: 'a/app.yaml', to: 'a/x.yaml' })
  expect(await after('rename app.yaml and web.yaml to x.yaml and y.yaml', renamed)).toBeUndefined()
})

test('the same change in the other file that is spelled', async () => {
  expect(await after('port in app.yaml to 4725 and the same port in web.yaml', edited)).toEqual(
    edit('b/web.yaml'),
  )
  expect(await after('port in app.yaml to 4725, web.yaml has 4723', edited)).toBeUndefined()
})

test('the same change in all files that a search found', async () => {
  const found = step('search_text', { pattern: '4723' }, 'a/app.yaml:1: port: 4723\nc/api.yaml:1: port: 4723')

  expect(await after('find 4723 and make it 4725 in all of the files', found, edited)).toEqual(
    edit('c/api.yaml'),
  )
  expect(await after('make 4723 4725 everywhere in app.yaml', found, edited)).toBeUndefined()
})

test('the last change once more where a part only says where', async () => {
  const again = (clause: string): Promise<NanoCall | undefined> => {
    const request = `set the port to 4725 in app.yaml, ${clause}`
    const progress = {
      category: 'read' as const,
      clauses: ['set the port to 4725 in app.yaml', clause],
      project: createPathProject(Object.keys(project), new Map()),
      reached: [
        { clause: 'set the port to 4725 in app.yaml', sources: noSources, from: 0 },
        { clause, sources: noSources, from: 1 },
      ],
    }
    return sameAgain({ progress, run: { request, steps: [edited] }, files })
  }

  expect(await again('and the same in the web one')).toEqual(edit('b/web.yaml'))
  expect(await again('and the same in the other')).toBeUndefined()
  expect(await again('and the same in the may list')).toBeUndefined()
  expect(await again('and show the web one')).toBeUndefined()
})

const behind = (request: string, clause: string, steps: readonly NanoStep[]) => ({
  progress: {
    category: 'read' as const,
    clauses: [request, clause],
    project: createPathProject(Object.keys(project), new Map(Object.entries(project))),
    reached: [
      { clause: request, sources: { ...noSources, paths }, from: 0 },
      { clause, sources: { ...noSources, paths }, from: 1 },
    ],
  },
  run: { request: `${request} ${clause}`, steps },
  files,
})

test.each(['ditto for web', 'Same in web.', 'and do the same for the web one'])(
  'a part may say it in other words: %s',
  async (clause) => {
    expect(await sameAgain(behind('port 4725 in app.', clause, [edited]))).toEqual(edit('b/web.yaml'))
  },
)

describe('what a search has found', () => {
  const found = (pattern: string, text: string) => step('search_text', { pattern }, text)
  const change = (clause: string, one: NanoStep) => replaceFound(behind('find it', clause, [one]))

  test('becomes another text of its kind', async () => {
    expect(await change('and make it 4800', found('4723', 'a/app.yaml:1: port: 4723'))).toEqual({
      name: 'edit_file',
      input: { path: 'a/app.yaml', old: '4723', new: '4800' },
    })
    expect(await change('then change it to "listen"', found('PORT', 'a/app.yaml:1: port: 4723'))).toEqual({
      name: 'edit_file',
      input: { path: 'a/app.yaml', old: 'port', new: 'listen' },
    })
  })

  test.each([
    'and turn it off',
    'make it work',
    'change it back',
    'replace it everywhere with release',
    'and make it shorter, then show me',
  ])('is left alone where no text is given: %s', async (clause) => {
    expect(await change(clause, found('port', 'a/app.yaml:1: port: 4723'))).toBeUndefined()
  })

  test('also where it has signs of its own', async () => {
    expect(await change('make it "x"', found('a-b (c) 4/7', 'a/app.yaml:1: port: 4723'))).toBeUndefined()
  })

  test('is not touched where something else is to change, or several files have it', async () => {
    expect(await change('and set it to 30', found('port', 'a/app.yaml:1: port: 4723'))).toBeUndefined()
    expect(await change('and change it to 30', found('port', 'a/app.yaml:1: port: 4723'))).toBeUndefined()
    const both = found('4723', 'a/app.yaml:1: port: 4723\nb/web.yaml:1: port: 4723')
    expect(await change('and make it 4800', both)).toBeUndefined()
  })
})
