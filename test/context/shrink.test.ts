import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/context/count.ts'
import { readShrunk, shrinkGroup } from '../../src/context/shrink.ts'
import { call, calls, failure, result, says, user } from './conversation.ts'

const long = 'export const value = 1\n'.repeat(300)

test('a long result becomes one line with its handle, its size and what it was', () => {
  const group = [calls(call('c1', 'read_file', { path: 'src/a.ts' })), result('c1', `${long}[stored as r12]`)]

  const [, shrunk] = shrinkGroup(group, (text) => text.length)

  expect(shrunk).toEqual(
    result('c1', '[result r12, 6,915 tokens, shortened: read_file src/a.ts; read_result r12 to see it]'),
  )
})

test('without a handle it still says what it was', () => {
  const group = [calls(call('c1', 'call_tool', { name: 'list_jobs', arguments: {} })), result('c1', long)]

  expect(shrinkGroup(group, (text) => text.length)[1]?.text).toBe(
    '[result, 6,900 tokens, shortened: list_jobs]',
  )
})

test('the end of a command and the reason of a failure survive', () => {
  const group = [
    calls(call('c1', 'run_command', { command: 'npm test' }), call('c2', 'edit_file', { path: 'a.ts' })),
    result('c1', `${long}2 failed, 31 passed\n[stored as r4]`),
    failure('c2', `Error: the old text is not in a.ts\n${long}`),
  ]

  const [, ran, edited] = shrinkGroup(group, estimateTokens)

  expect(ran?.text).toMatch(
    /shortened: run_command npm test “….*2 failed, 31 passed”; read_result r4 to see it\]$/,
  )
  expect(edited?.text).toMatch(/^\[failed result, .* edit_file a.ts “Error: the old text is not in a.ts/)
  expect(readShrunk(ran?.text ?? '')).toEqual({
    handle: 'r4',
    gist: expect.stringMatching(/2 failed, 31 passed$/),
  })
  expect(readShrunk(edited?.text ?? '')).toEqual({ gist: expect.stringMatching(/^Error: the old text/) })
})

test('short results, other messages and lines that are shrunk already stay', () => {
  const head = calls(call('c1', 'read_file', { path: 'a.ts' }))
  const once = shrinkGroup([head, result('c1', long)], estimateTokens)

  expect(shrinkGroup([head, result('c1', 'short')], estimateTokens)).toEqual([head, result('c1', 'short')])
  expect(shrinkGroup([user(long)], estimateTokens)).toEqual([user(long)])
  expect(shrinkGroup([says(long)], estimateTokens)).toEqual([says(long)])
  expect(shrinkGroup(once, estimateTokens)).toEqual(once)
})

test('old thoughts go with old results', () => {
  const head = {
    ...calls(call('c1', 'read_file', { path: 'a.ts' })),
    reasoning: 'hm',
    tokens: [1],
    flag: 'greeting',
  }

  expect(shrinkGroup([head, result('c1', 'x')], estimateTokens)[0]).toEqual({
    role: 'assistant',
    text: '',
    calls: head.calls,
    flag: 'greeting',
  })
})
