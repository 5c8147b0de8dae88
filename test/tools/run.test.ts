import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jobOutputTool } from '../../src/tools/job-output.ts'
import { jobStopTool } from '../../src/tools/job-stop.ts'
import { createRunCommand } from '../../src/tools/run-command.ts'
import { commandLimits, timeLimitOf } from '../../src/tools/time-limit.ts'
import { tempProject, toolContext } from '../support/project.ts'
import { callTool } from './call.ts'
import { eventually } from '../support/wait.ts'

const runCommand = createRunCommand(commandLimits)
const hurried = createRunCommand({ usualMs: 300, longMs: 300 })

describe('run_command', () => {
  test.each([
    ['echo hello', { ok: true, text: 'hello' }],
    ['true', { ok: true, text: '(no output)' }],
    ['echo oops >&2; exit 2', { ok: false, code: 'exit-code', text: 'oops\n[exit 2]' }],
    ['exit 1', { ok: false, code: 'exit-code', text: '[exit 1]' }],
    ['kill -9 $$', { ok: false, code: 'exit-code', text: '[ended by a signal]' }],
  ])('%s', async (command, expected) => {
    expect(await callTool(runCommand, { command }, toolContext(await tempProject()))).toEqual(expected)
  })

  test('what it prints is shown while it runs', async () => {
    const seen: string[] = []
    const context = toolContext(await tempProject(), { output: (text) => seen.push(text) })

    await callTool(runCommand, { command: 'echo one' }, context)

    expect(seen.join('')).toBe('one\n')
  })

  test('a command at its limit becomes a job that can be read and stopped', async () => {
    const context = toolContext(await tempProject())

    const first = await callTool(hurried, { command: 'echo begun; sleep 30' }, context)
    const stopped = await callTool(jobStopTool, { id: 'job-1' }, context)

    expect(first).toEqual({
      ok: true,
      text: 'begun\n[still running after 0.3 s as job-1; job_output shows more, job_stop ends it]',
    })
    expect(stopped).toEqual({ ok: true, text: 'Stopped job-1: echo begun; sleep 30' })
  })

  test('in the background it answers at once', async () => {
    const context = toolContext(await tempProject())

    const { ok, text } = await callTool(
      runCommand,
      { command: 'echo ready; sleep 30', background: true },
      context,
    )

    expect({ ok, text }).toEqual({
      ok: true,
      text: 'ready\n[job-1 is running; job_output shows more, job_stop ends it]',
    })
  })

  test('a wrong command in the background fails while one is still looking', async () => {
    const result = await callTool(
      runCommand,
      { command: 'no_such_program', background: true },
      toolContext(await tempProject()),
    )

    expect(result).toMatchObject({
      ok: false,
      code: 'exit-code',
      text: expect.stringContaining('[job-1 ended, exit 127]'),
    })
  })

  test('a cancelled command is interrupted', async () => {
    const cancel = new AbortController()
    const context = toolContext(await tempProject(), { signal: cancel.signal })
    const running = callTool(runCommand, { command: 'sleep 30' }, context)

    setTimeout(() => cancel.abort(), 100)

    await expect(running).rejects.toMatchObject({ details: { failure: 'interrupted' } })
  })

  test('an empty or interactive command is refused', async () => {
    const context = toolContext(await tempProject())

    await expect(callTool(runCommand, { command: ' ' }, context)).rejects.toThrow('command is empty.')
    await expect(callTool(runCommand, { command: 'vim a' }, context)).rejects.toThrow(/use edit_file/)
  })
})

describe('job_output', () => {
  test('gives what is new, then how it ended', async () => {
    const cwd = await tempProject()
    const context = toolContext(cwd)
    // Long enough for a busy machine to start it.
    const patient = createRunCommand({ usualMs: 2_000, longMs: 2_000 })
    const command = 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 3'
    await callTool(patient, { command }, context)
    await writeFile(join(cwd, 'go'), '')

    await eventually(() => expect(context.exec.jobs()[0]?.state).toBe('ended'))

    expect(await callTool(jobOutputTool, { id: 'job-1' }, context)).toEqual({
      ok: false,
      code: 'exit-code',
      text: 'two\n[job-1 ended, exit 3]',
    })
  })

  test('waits a moment for a job that says nothing', async () => {
    const context = toolContext(await tempProject())
    await context.exec.start('sleep 0.5; echo finally; sleep 20')

    const { text } = await callTool(jobOutputTool, { id: 'job-1' }, context)

    expect(text).toBe('finally\n[job-1 is running; job_output shows more, job_stop ends it]')
  })

  test('an unknown job is a failure', async () => {
    await expect(callTool(jobOutputTool, { id: 'x' }, toolContext(await tempProject()))).rejects.toThrow(
      'There are no jobs.',
    )
  })
})

test.each([
  ['npm test', 300_000],
  ['cd app && pnpm install', 300_000],
  ['CI=1 npx vitest run', 300_000],
  ['./gradlew build', 300_000],
  ['python -m pytest -q', 300_000],
  ['git clone https://example.com/x', 300_000],
  ['make', 300_000],
  ['ls', 30_000],
  ['git status', 30_000],
  ['python script.py', 30_000],
  ['echo npm', 30_000],
])('%s may take %i ms', (command, expected) => {
  expect(timeLimitOf(command, commandLimits)).toBe(expected)
})
