import { expect, test } from 'vitest'
import type { LoopEvent } from '../../src/engine/parts.ts'
import type { RunEnd } from '../../src/protocol/event.ts'
import { watchEvidence } from '../../src/session/evidence.ts'

type Step = { readonly tool: string; readonly input?: object; readonly ok?: boolean; readonly text?: string }

const edit: Step = { tool: 'edit_file', input: { path: 'a.ts' } }
const run = (command: string, ok = true): Step => ({ tool: 'run_command', input: { command }, ok })

function evidence(steps: readonly Step[], reason: RunEnd['reason'] = 'answered'): string | undefined {
  const watch = watchEvidence()
  for (const [index, { tool, input = {}, ok = true, text = '' }] of steps.entries()) {
    const id = `call-${index}`
    const call = { id, name: tool, input: JSON.stringify(input) }
    const end: LoopEvent = { type: 'tool-end', callId: id, name: tool, ok, text, ms: 1 }
    watch.see({ type: 'tool-start', call, title: tool })
    watch.see(ok ? end : { ...end, code: 'exit-code' })
  }
  const changed = steps.some(({ tool }) => tool === 'edit_file') ? ['a.ts'] : []
  return watch.at({
    type: 'run-end',
    runId: 'r',
    reason,
    turns: 1,
    changed,
    attribution: { model: 1, repair: 0, detector: 0 },
  })
}

test.each<[string, readonly Step[], string | undefined]>([
  ['nothing happened', [], undefined],
  ['an edit that stayed', [edit], 'edit-kept'],
  ['tests after an edit', [edit, run('npm test')], 'checks-green'],
  ['tests before it say nothing about it', [run('npm test', false), edit], 'edit-kept'],
  ['red, fixed, green', [edit, run('npx vitest run', false), edit, run('npx vitest run')], 'checks-green'],
  ['red at last', [edit, run('cargo test'), edit, run('cargo test', false)], 'checks-red'],
  ['an edit after the last test', [edit, run('npm test', false), edit], 'edit-kept'],
  ['other commands', [edit, run('ls'), run('git commit -m test')], 'edit-kept'],
  [
    "the project's own check",
    [{ ...edit, text: 'Replaced.\nCheck `npx tsc --noEmit` passed.' }],
    'checks-green',
  ],
  [
    "the project's own check, red",
    [{ ...edit, text: 'Replaced.\nCheck `npx tsc` found problems:\na.ts(1,1): error' }],
    'checks-red',
  ],
])('%s', (_, steps, expected) => {
  expect(evidence(steps)).toBe(expected)
})

test('an edit of a run that a detector ended is no edit that stayed', () => {
  expect(evidence([edit], 'no-progress')).toBeUndefined()
})
