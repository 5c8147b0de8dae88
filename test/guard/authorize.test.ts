import { describe, expect, test } from 'vitest'
import { createAuthorize, permissionModes } from '../../src/guard/authorize.ts'
import type { Authorization } from '../../src/protocol/guard.ts'
import type { Access } from '../../src/protocol/tool.ts'

const read: Access = { kind: 'read', target: 'a.ts' }
const write: Access = { kind: 'write', target: 'a.ts' }
const run: Access = { kind: 'run', target: 'npm test' }

const authorize = (
  mode: (typeof permissionModes)[number],
  access: readonly Access[],
): Promise<Authorization> =>
  createAuthorize({ mode })({ call: { id: '1', name: 'a_tool', input: '{}' }, category: 'meta', access })

describe('what each mode says to a read, a write, a command', () => {
  test.each([
    ['ask', ['allow', 'ask', 'ask']],
    ['accept-edits', ['allow', 'allow', 'ask']],
    ['auto', ['allow', 'allow', 'ask']],
    ['read-only', ['allow', 'deny', 'deny']],
    ['deny', ['deny', 'deny', 'deny']],
    ['bypass', ['allow', 'allow', 'allow']],
  ] as const)('%s', async (mode, expected) => {
    const answers = await Promise.all([read, write, run].map((access) => authorize(mode, [access])))

    expect(answers.map(({ verdict }) => verdict)).toEqual(expected)
  })
})

test('of several accesses the strictest decides, whatever their order', async () => {
  expect((await authorize('ask', [read, write])).verdict).toBe('ask')
  expect((await authorize('ask', [write, read])).verdict).toBe('ask')
  expect((await authorize('read-only', [read, run, read])).verdict).toBe('deny')
})

test('a call that touches nothing is allowed in every mode', async () => {
  const answers = await Promise.all(permissionModes.map((mode) => authorize(mode, [])))

  expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(['allow']))
})

test('a question says what would happen, a refusal how to allow it', async () => {
  expect((await authorize('ask', [run])).why).toBe('a_tool runs a command: npm test')
  expect((await authorize('ask', [write])).why).toBe('a_tool changes a.ts')
  expect((await authorize('read-only', [write])).why).toContain('--permission ask')
  expect((await authorize('deny', [read])).why).toContain('--permission ask')
})
