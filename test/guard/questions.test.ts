/** Asking for everything would be safe and useless: how often a person is asked during ordinary work. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PermissionMode } from '../../src/protocol/permission-modes.ts'
import { createPermissions } from '../../src/guard/permission/decide.ts'
import type { Access } from '../../src/protocol/tool.ts'
import { tempProject } from '../support/project.ts'
import { harmless } from './harmless.ts'

type Call = Access & { readonly tool: string }
type WorkSession = { readonly session: string; readonly calls: readonly Call[] }

const sessions = readFileSync(new URL('./fixtures/work-sessions.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as WorkSession)

const root = await tempProject()

/** The calls that would be asked for, or refused. */
async function questions(calls: readonly Call[], mode: PermissionMode): Promise<readonly string[]> {
  const { authorize } = createPermissions({ mode, roots: [root], sandboxed: true })
  const verdicts = await Promise.all(
    calls.map(({ tool, kind, target }) =>
      authorize({ call: { id: '1', name: tool, input: '{}' }, category: 'meta', access: [{ kind, target }] }),
    ),
  )
  return calls.flatMap(({ target }, index) => (verdicts[index]?.verdict === 'allow' ? [] : [target]))
}

describe('in auto, with a sandbox', () => {
  test('nine of ten calls of a working day need no question', async () => {
    const calls = sessions.flatMap((session) => session.calls)

    const asked = await questions(calls, 'auto')

    expect(sessions.length).toBeGreaterThanOrEqual(10)
    expect(1 - asked.length / calls.length).toBeGreaterThanOrEqual(0.9)
    expect(asked.every((target) => target.startsWith('https://'))).toBe(true)
  })

  test('no harmless command needs one', async () => {
    const calls = harmless.map((target) => ({ tool: 'run_command', kind: 'run' as const, target }))

    expect(await questions(calls, 'auto')).toEqual([])
  })
})

test('where everything else is asked for, nineteen of twenty harmless commands are not', async () => {
  const calls = harmless.map((target) => ({ tool: 'run_command', kind: 'run' as const, target }))

  expect((await questions(calls, 'ask')).length / calls.length).toBeLessThanOrEqual(0.05)
})
