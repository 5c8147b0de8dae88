import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type CallView, lessonHint, withLessons } from '../../src/memory/lesson.ts'
import { defineTool } from '../../src/protocol/tool.ts'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { ofType, run } from '../support/run.ts'

const tests = (ok: boolean): CallView => ({ key: 'npm test', ok, changed: false })
const edit: CallView = { key: 'edit', ok: true, changed: true }

describe('a lesson is asked for', () => {
  test('when what failed works after a change', () => {
    expect(lessonHint([tests(false), edit, tests(true)])).toContain('lesson: trigger:')
  })

  test.each([
    ['it never failed', [edit, tests(true)]],
    ['it still fails', [tests(false), edit, tests(false)]],
    ['nothing was changed', [tests(false), tests(true)]],
    ['it was asked for already', [tests(false), edit, tests(true), edit, tests(true)]],
    ['nothing was called', []],
  ])('not when %s', (_, calls) => {
    expect(lessonHint(calls)).toBeUndefined()
  })
})

test('the result of the command that works again carries the request, once', async () => {
  const results = [false, true, true]
  const command = defineTool({
    name: 'run_command',
    description: '',
    category: 'run',
    input: z.object({ command: z.string() }),
    run: async () => ({ ok: results.shift() ?? true, text: 'output' }),
  })
  const write = defineTool({
    name: 'write_file',
    description: '',
    category: 'write',
    input: z.object({}),
    run: async () => ({ ok: true, text: 'written', changed: ['a.ts'] }),
  })
  const context = { ...toolContext('/'), isOffered: () => true }
  const [run, edits] = withLessons([command, write])
  const call = async () => (await run!.run({ command: 'npm test' }, context)).text

  const failed = await call()
  await edits!.run({}, context)
  const solved = await call()
  const again = await call()

  expect([failed, again]).toEqual(['output', 'output'])
  expect(solved).toMatch(/^output\n\[This failed before and works now\./)
})

test.each([
  { window: 32_768, enabled: true, asks: true },
  { window: 32_768, enabled: false, asks: false },
  { window: 8192, enabled: true, asks: false },
])('a lesson is asked for only where remember is shown: %j', async ({ window, enabled, asks }) => {
  const look = calls('run_command', { command: 'test -e made.txt && echo fine' })
  const make = calls('write_file', { path: 'made.txt', content: 'x' })
  const model = scriptedModel([look], [make], [look], [says('Done.')])

  const events = await run(model, await tempProject(), {
    permission: 'bypass',
    window,
    flags: { 'memory.enabled': enabled },
  })

  const [failed, , solved] = ofType(events, 'tool-end').map(({ text }) => text)
  expect(failed).toBe('[exit 1]')
  expect(solved?.includes('store it once with remember')).toBe(asks)
})
