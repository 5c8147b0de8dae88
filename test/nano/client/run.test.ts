/** Where a client works, and what its tools are given. */
import { expect, test } from 'vitest'
import { inOwnWords, placeOf, withRoot } from '../../../src/nano/client/run.ts'
import { LOOK_ID, readRun } from '../../../src/nano/steps/run.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import type { ModelRequest } from '../../../src/protocol/model.ts'
import { tempProject } from '../../support/project.ts'

const root = await tempProject({ 'a.txt': 'x' })
const files = createFiles({ root })
const nothing = createFiles({ root: await tempProject({}) })

const tools = [
  {
    name: 'Read',
    parameters: {
      type: 'object',
      properties: { file_path: { type: 'string', description: 'The absolute path of the file' } },
      required: ['file_path'],
    },
  },
  {
    name: 'Glob',
    parameters: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
  },
]

const requestOf = (system: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: 'r',
  sessionId: 's',
  turn: 1,
  system,
  messages: [{ role: 'user', text: 'show a.txt' }],
  tools,
  ...more,
})

test.each([
  ['names none, and there are files', '', files, false],
  ['names none, and there is nothing', '', nothing, true],
  ['names the same', `Working directory: ${root}`, files, false],
  ['names another', 'Working directory: /srv/other', files, true],
])('a client that %s', async (_, system, own, isAway) => {
  const request = requestOf(system)
  const place = await placeOf(readRun(request), request, { files: own, root })

  expect(place.seen !== undefined).toBe(isAway)
})

test('the program itself works in its own folder', async () => {
  const request = requestOf('Working directory: /srv/other', { guarded: true })

  expect((await placeOf(readRun(request), request, { files, root })).seen).toBeUndefined()
})

test('looks of its own are known again, and are no steps', async () => {
  const request = requestOf('Working directory: /srv/other', {
    messages: [
      { role: 'user', text: 'show a.txt' },
      {
        role: 'assistant',
        text: '',
        calls: [
          { id: 'call-1', name: 'Glob', input: '{"pattern":"**/*"}' },
          { id: `${LOOK_ID}1`, name: 'Read', input: '{"file_path":"/srv/other/b.txt"}' },
          { id: 'call-2', name: 'Read', input: '{"file_path":"/srv/other/a.txt"}' },
        ],
      },
      { role: 'tool', callId: 'call-1', text: '/srv/other/a.txt\n/srv/other/b.txt', ok: true },
      { role: 'tool', callId: `${LOOK_ID}1`, text: 'b', ok: true },
      { role: 'tool', callId: 'call-2', text: 'a', ok: true },
    ],
  })
  const { looks, run, seen } = await placeOf(inOwnWords(readRun(request), request), request, { files, root })

  expect(looks.map(({ call }) => call)).toEqual([
    { name: 'find_files', input: { pattern: '**/*' } },
    { name: 'read_file', input: { path: 'b.txt' } },
  ])
  expect(run.steps.map(({ call }) => call)).toEqual([{ name: 'read_file', input: { path: 'a.txt' } }])
  expect(seen?.paths).toEqual(['a.txt', 'b.txt'])
})

test('a tool that asks for whole paths is given them', () => {
  const call = { name: 'Read', input: { file_path: 'docs/a.md' } }

  expect(withRoot(call, requestOf('Working directory: /srv/other')).input).toEqual({
    file_path: '/srv/other/docs/a.md',
  })
  expect(withRoot(call, requestOf('')).input).toEqual({ file_path: 'docs/a.md' })
})
