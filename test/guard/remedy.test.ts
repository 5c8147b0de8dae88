import { describe, expect, test } from 'vitest'
import { type PermissionMode, permissionModes } from '../../src/protocol/permission-modes.ts'
import { createPermissions, type PermissionParts } from '../../src/guard/permission/decide.ts'
import { remedyText } from '../../src/lib/remedy.ts'
import type { AuthorizeRequest, Rule } from '../../src/protocol/guard.ts'
import type { Access } from '../../src/protocol/tool.ts'
import { tempProject } from '../support/project.ts'

const root = await tempProject({ 'a.txt': '' })

const request = (access: Access): AuthorizeRequest => ({
  call: { id: '1', name: TOOLS[access.kind], input: '{}' },
  category: 'meta',
  access: [access],
})

const TOOLS = {
  read: 'read_file',
  write: 'write_file',
  run: 'run_command',
  fetch: 'fetch_url',
  store: 'remember',
} as const

const accesses: readonly Access[] = [
  { kind: 'read', target: 'a.txt' },
  { kind: 'write', target: 'a.txt' },
  { kind: 'write', target: '.github/workflows/ci.yml' },
  { kind: 'run', target: 'ls' },
  { kind: 'run', target: 'npm test' },
  { kind: 'run', target: 'npm test | tee "$X"' },
  { kind: 'fetch', target: 'https://example.com/a' },
  { kind: 'store', target: 'memory' },
]

const authorize = (access: Access, parts: Partial<PermissionParts>) =>
  createPermissions({ mode: 'ask', roots: [root], sandboxed: true, ...parts }).authorize(request(access))

const FLAG = /--permission ([a-z-]+)/

describe.each(permissionModes)('in the mode %s', (mode) => {
  test.each(
    accesses.flatMap((access) =>
      [true, false].map((sandboxed) => [access.kind, access.target, sandboxed, access] as const),
    ),
  )('%s %s, sandbox %s: following the advice helps', async (_kind, _target, sandboxed, access) => {
    for (const unattended of [true, false]) {
      const { verdict, why, remedy } = await authorize(access, { mode, sandboxed, unattended })
      if (verdict === 'allow') continue
      const advice = verdict === 'deny' ? why : remedyText(remedy ?? {})
      const flag = FLAG.exec(advice)?.[1] as PermissionMode | undefined
      expect([advice, flag]).not.toEqual([advice, mode])
      expect(advice).toMatch(FLAG)
      const after = await authorize(access, { ...(flag && { mode: flag }), sandboxed, unattended })
      const isEnough =
        after.verdict === 'allow' || (after.verdict === 'ask' && verdict === 'deny' && !unattended)
      expect([advice, after.verdict, isEnough]).toEqual([advice, after.verdict, true])
      if (!remedy?.rule) continue
      const { exact: _, ...rule } = remedy.rule
      expect((await authorize(access, { mode, sandboxed, rules: [rule] })).verdict).toBe('allow')
    }
  })
})

const deny: Rule = { tool: '*', pattern: 'a.txt', verdict: 'deny' }

test.each([
  [{ kind: 'write', target: 'a.txt' }, { rules: [deny] }, /nothing overrides that\. Only removing that rule/],
  [{ kind: 'read', target: 'server.key' }, {}, /no flag and no rule allows it/],
  [{ kind: 'write', target: '/etc/hosts' }, {}, /a session started in \/etc\.$/],
  [{ kind: 'read', target: 'own/config.toml' }, { own: [`${root}/own`] }, /`covey config`/],
] as const)('%o is refused without a wrong flag', async (access, parts, expected) => {
  for (const mode of ['ask', 'accept-edits', 'auto', 'bypass'] as const) {
    const { verdict, why } = await authorize(access, { mode, ...parts })

    expect([verdict, FLAG.test(why)]).toEqual(['deny', false])
    expect(why).toMatch(expected)
  }
})

test('a secret is opened by a person only, and a rule that asks is named', async () => {
  const secret = await authorize({ kind: 'read', target: '.env' }, { mode: 'bypass' })
  const rules: readonly Rule[] = [{ tool: 'run_command', pattern: 'ls', verdict: 'ask' }]
  const ruled = await authorize({ kind: 'run', target: 'ls' }, { rules })

  expect(secret.remedy?.otherwise).toContain('only a person who is asked can allow it')
  expect(remedyText(ruled.remedy ?? {})).toBe(
    'The rule "run_command ls" asks each time; remove it from [[permission.rules]].',
  )
})
