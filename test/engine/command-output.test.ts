/** What a model reads of a failing command: recorded output, printed by a real process, in the windows it is made for. */
import { expect, test } from 'vitest'
import { calls, says, scriptedModel } from '../../src/provider/scripted.ts'
import { recordings } from '../lib/output/recordings.ts'
import { tempProject } from '../support/project.ts'
import { ofType, run } from '../support/run.ts'

const named = (name: string) => {
  const found = recordings().find((recording) => recording.name === name)
  if (!found) throw new Error(`There is no recording ${name}.`)
  return found
}

const command = { command: 'cat output.txt; exit 1' }

async function resultOf(output: string, window: number): Promise<string> {
  const model = scriptedModel([calls('run_command', command)], [says('Two tests fail.')])
  const events = await run(model, await tempProject({ 'output.txt': output }), { window })
  return ofType(events, 'tool-end')[0]?.text ?? ''
}

test.each([4096, 8192])('a failing suite shows its failures in a window of %i tokens', async (window) => {
  for (const name of ['node22-tap', 'pytest8-verbose', 'cargo-test']) {
    const { text, visible } = named(name)
    const shown = await resultOf(text.replace(/\n\[exit \d+\]$/, '\n'), window)

    expect(shown.split('\n')[0]).toMatch(/^\d of \d+ failed$/)
    expect(visible.filter((fact) => !shown.includes(fact))).toEqual([])
    expect(shown).toMatch(
      /\n\[about \d+ lines left out.*\]\n\[exit 1\]\n\[stored as r1: \d+ lines; read_result shows the rest\]$/,
    )
  }
})

test('nothing is lost: the whole output is read from its handle', async () => {
  const { text } = named('node22-tap')
  const output = text.replace(/\n\[exit \d+\]$/, '')
  const model = scriptedModel(
    [calls('run_command', command)],
    [calls('read_result', { id: 'r1' })],
    [says('Four tests fail.')],
  )

  const events = await run(model, await tempProject({ 'output.txt': output }), { window: 65_536 })

  expect(ofType(events, 'tool-end')[1]?.text).toBe(`${output}\n[exit 1]`)
})

test('a background job shows what failed in it as well', async () => {
  const { text, visible } = named('mocha11')
  const model = scriptedModel(
    [calls('run_command', { command: 'sleep 1; cat output.txt; exit 1', background: true })],
    [calls('call_tool', { name: 'job_output', arguments: { id: 'job-1' } })],
    [says('Five tests fail.')],
  )

  const events = await run(model, await tempProject({ 'output.txt': text }), { window: 8192 })
  const shown = ofType(events, 'tool-end').at(-1)?.text ?? ''

  expect(shown.split('\n')[0]).toBe('5 of 47 failed')
  expect(visible.filter((fact) => !shown.includes(fact))).toEqual([])
})

test('a failure in the middle of megabytes of passing tests reaches the model', async () => {
  const script =
    "const ok = 'ok 7 - is fine\\n  ---\\n  duration_ms: 0.1\\n  ...\\n'.repeat(40000);" +
    "process.stdout.write(ok + 'not ok 8 - adds\\n  ---\\n  location: \\'/p/a.test.js:3:1\\'\\n  error: \\'2 is not 3\\'\\n  ...\\n' + ok + '# tests 80001\\n# fail 1\\n', () => process.exit(1))"
  const model = scriptedModel([calls('run_command', { command: 'node big.cjs' })], [says('One test fails.')])

  const events = await run(model, await tempProject({ 'big.cjs': script }), { window: 4096 })

  expect(ofType(events, 'tool-end')[0]?.text).toMatch(
    /^1 of 80001 failed\nadds\n {2}location: '\/p\/a\.test\.js:3:1'\n {2}error: '2 is not 3'\n/,
  )
})
