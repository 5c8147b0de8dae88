/** The command an answer is held to: it passes, fails, is not allowed, or does not apply. */
import { describe, expect, test } from 'vitest'
import { calls, createScriptedModel, says, scriptedModel } from '../../src/provider/scripted.ts'
import { tempProject } from '../support/project.ts'
import { endOf, ofType, run } from '../support/run.ts'

const write = (path: string) => calls('write_file', { path, content: 'two\n' })

describe('a check', () => {
  test('that passes lets the answer stand', async () => {
    const model = scriptedModel([says('It is there.')])
    const cwd = await tempProject({ 'a.txt': 'one\n' })

    const events = await run(model, cwd, { promptOptions: { check: 'test -f a.txt && echo fine' } })

    expect(endOf(events)).toMatchObject({
      reason: 'answered',
      check: { command: 'test -f a.txt && echo fine', state: 'passed', text: 'fine' },
    })
    expect(ofType(events, 'tool-start').map(({ title }) => title)).toEqual([
      'check test -f a.txt && echo fine',
    ])
    expect(model.asked).toHaveLength(1)
  })

  test('that fails gives the model what it printed and one more try', async () => {
    const model = scriptedModel([says('It is done.')], [write('b.txt')], [says('Now it is.')])
    const check = 'test -f b.txt || { echo "b.txt is missing"; exit 3; }'

    const events = await run(model, await tempProject(), { promptOptions: { check } })

    expect(endOf(events)).toMatchObject({ reason: 'answered', check: { command: check, state: 'passed' } })
    expect(model.asked[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      origin: 'note',
      text: expect.stringContaining('b.txt is missing\n[exit 3]'),
    })
    // The model sees the note, and a watcher the reply before the check that doubted it.
    const order = events.flatMap(({ type }) => (['turn-end', 'tool-start'].includes(type) ? [type] : []))
    expect(order).toEqual(['tool-start', 'turn-end', 'tool-start', 'turn-end', 'tool-start', 'turn-end'])
  })

  test('that fails twice ends the run with what it printed', async () => {
    const model = scriptedModel([says('It is done.')], [says('It really is.')], [says('unused')])

    const events = await run(model, await tempProject(), {
      promptOptions: { check: 'echo 2 failed; exit 1' },
    })

    expect(endOf(events)).toMatchObject({
      reason: 'check-failed',
      check: { command: 'echo 2 failed; exit 1', state: 'failed', text: '2 failed\n[exit 1]' },
      report: expect.stringContaining('the check `echo 2 failed; exit 1` failed'),
    })
    expect(model.asked).toHaveLength(2)
  })

  test('that is not allowed is not run, and no fault of the model', async () => {
    const model = scriptedModel([says('It is done.')])
    const cwd = await tempProject()

    const events = await run(model, cwd, { permission: 'ask', promptOptions: { check: 'touch made.txt' } })

    const { reason, check } = endOf(events)
    expect([reason, check?.state]).toEqual(['answered', 'refused'])
    expect(check?.text).toContain('No user is available')
    expect(model.asked).toHaveLength(1)
  })

  test('is held to the same rules as a command of the model', async () => {
    const model = scriptedModel([says('It is done.')])

    const events = await run(model, await tempProject(), {
      promptOptions: { check: 'true', deniedTools: ['run_command'] },
    })

    expect(endOf(events)).toMatchObject({ reason: 'answered', check: { state: 'refused' } })
  })

  test('is asked about where a person is there', async () => {
    const model = scriptedModel([says('It is done.')])

    const events = await run(model, await tempProject(), {
      permission: 'ask',
      canAsk: true,
      promptOptions: { check: 'touch made.txt' },
      onEvent: (event, session) => {
        if (event.type === 'permission-ask') void session.answer(event.askId, { allow: true })
      },
    })

    expect(endOf(events)).toMatchObject({ reason: 'answered', check: { state: 'passed' } })
  })

  test.each(['NEXT: the tests', '**BLOCKED:** there is no compiler'])(
    'is not run for an answer that says it is not the end: %s',
    async (answer) => {
      const events = await run(scriptedModel([says(answer)]), await tempProject(), {
        promptOptions: { check: 'exit 1' },
      })

      expect(endOf(events).check).toBeUndefined()
      expect(ofType(events, 'tool-start')).toEqual([])
    },
  )

  test('is run as the project is now, whatever the model ran before', async () => {
    const model = createScriptedModel([
      [calls('run_command', { command: 'test -f b.txt' })],
      [says('It is done.')],
      [write('b.txt')],
      [says('Now it is.')],
    ])

    const events = await run(model, await tempProject(), { promptOptions: { check: 'test -f b.txt' } })

    expect(endOf(events)).toMatchObject({ reason: 'answered', check: { state: 'passed' } })
  })
})
