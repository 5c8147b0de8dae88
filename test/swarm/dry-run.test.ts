import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Authorize } from '../../src/protocol/guard.ts'
import type { CheckResult, Tool } from '../../src/protocol/tool.ts'
import { createFiles } from '../../src/guard/paths/files.ts'
import { createDryRun } from '../../src/swarm/dry-run.ts'
import { toVotingTools } from '../../src/swarm/voting-tools.ts'
import { builtinTools } from '../../src/tools/all.ts'
import { tempProject } from '../support/project.ts'
import { call } from './candidates.ts'

const NEVER = new AbortController().signal
const tools: readonly Tool[] = builtinTools({ list: () => tools })

async function dryRun(
  name: string,
  input: object | string,
  parts: { authorize?: Authorize } = {},
): Promise<CheckResult | undefined> {
  const root = await tempProject({ 'a.txt': 'one\n', '.env': 'KEY=1\n' })
  const { authorize } = parts
  const run = createDryRun({
    tools: () => tools,
    files: createFiles({ root }),
    ...(authorize && { authorize }),
  })
  const written = typeof input === 'string' ? input.replaceAll('ROOT', root) : input
  const result = await run(call(name, written), NEVER)
  expect((await readdir(root)).toSorted()).toEqual(['.env', 'a.txt'])
  return result
}

describe('a dry run', () => {
  test('tells what a call would leave behind, and leaves nothing behind', async () => {
    expect(await dryRun('write_file', { path: 'b.txt', content: 'two' })).toEqual({
      ok: true,
      changes: [{ path: 'b.txt', before: undefined, after: 'two' }],
    })
  })

  test('tells what a parser makes of it', async () => {
    const shapes = await Promise.all(
      ['f( a )\n', 'f(a)'].map(async (content) => {
        const result = await dryRun('write_file', { path: 'b.ts', content })
        return result?.ok ? result.changes?.[0]?.shape : undefined
      }),
    )

    expect(shapes).toEqual([expect.any(String), shapes[0]])
  })

  test('takes a call as the engine would: names, slips and paths repaired', async () => {
    expect(await dryRun('WriteFile', '{"path": "ROOT/b.txt", "content": "two",}')).toEqual({
      ok: true,
      changes: [{ path: 'b.txt', before: undefined, after: 'two' }],
    })
  })

  test('looks into a nested call', async () => {
    const inner = { name: 'read_file', arguments: { path: 'nowhere.txt' } }

    expect(await dryRun('call_tool', inner)).toEqual({
      ok: false,
      why: expect.stringContaining('nowhere.txt'),
    })
  })

  test.each<[string, string, object | string]>([
    ['an unknown tool', 'fly', {}],
    ['arguments that do not fit', 'read_file', {}],
    ['unreadable arguments', 'read_file', '{"path": "a'],
    ['a tool that cannot be checked', 'system_info', {}],
    ['a file that only a person may open', 'read_file', { path: '.env' }],
  ])('has no opinion on %s', async (_, name, input) => {
    expect(await dryRun(name, input)).toBeUndefined()
  })

  test('fails what the guard denies, and asks no question', async () => {
    const asked: unknown[] = []
    const authorize: Authorize = async (request) => {
      asked.push(request)
      return { verdict: 'deny', why: 'read-only' }
    }

    const result = await dryRun('run_command', { command: 'ls' }, { authorize })

    expect(result).toEqual({ ok: false, why: 'read-only' })
    expect(asked).toEqual([
      {
        call: call('run_command', { command: 'ls' }),
        tool: 'run_command',
        category: 'run',
        access: [{ kind: 'run', target: 'ls' }],
      },
    ])
  })

  test('goes on where the guard would ask', async () => {
    const authorize: Authorize = async () => ({ verdict: 'ask', why: 'it writes' })

    expect(await dryRun('run_command', { command: 'make' }, { authorize })).toEqual({ ok: true })
  })
})

describe('our own tools in a vote', () => {
  const effectOf = (name: string, input: unknown) =>
    toVotingTools(tools)
      .find((tool) => tool.name === name)
      ?.effect?.(input)

  test.each<[string, unknown, string]>([
    ['read_file', { path: 'a' }, 'read'],
    ['fetch_url', { url: 'https://example.com' }, 'read'],
    ['edit_file', { path: 'a', old: 'b', new: 'c' }, 'write'],
    ['run_command', { command: 'npm test 2>&1 | tail >/dev/null' }, 'write'],
    ['run_command', { command: 'rm -r build' }, 'destroy'],
    ['run_command', { command: 'git push origin main' }, 'destroy'],
    ['run_command', { command: 'echo hello > a.txt' }, 'destroy'],
    ['call_tool', { name: 'read_file', arguments: { path: 'a' } }, 'read'],
    ['call_tool', { name: 'run_command', arguments: { command: 'rm a' } }, 'destroy'],
    ['call_tool', { name: 'unknown' }, 'write'],
    ['apply_patch', {}, 'write'],
  ])('%s %j: %s', (name, input, effect) => {
    expect(effectOf(name, input)).toBe(effect)
  })

  test('show their defaults and paths', () => {
    expect(toVotingTools(tools).find(({ name }) => name === 'read_file')).toMatchObject({
      paths: ['path'],
      parameters: { properties: { from: { default: 1 } } },
    })
  })
})
