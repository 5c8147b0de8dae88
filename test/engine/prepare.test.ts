import { expect, test } from 'vitest'
import { prepareCall } from '../../src/engine/prepare.ts'
import type { Tool } from '../../src/protocol/tool.ts'
import { builtinTools } from '../../src/tools/all.ts'

const tools: readonly Tool[] = builtinTools({ list: () => tools })
const prepare = (name: string, input: unknown, atLimit = false) =>
  prepareCall(
    { id: 'c', name, input: typeof input === 'string' ? input : JSON.stringify(input) },
    { tools, options: {}, atLimit },
  )

test.each([
  ['bash', { command: 'ls' }, 'run_command', { command: 'ls' }],
  ['readFile', { path: 'a' }, 'read_file', { path: 'a' }],
  ['read\\_file', { file_path: 'a' }, 'read_file', { path: 'a' }],
  ['str_replace_editor', { command: 'view', path: 'a' }, 'read_file', { path: 'a' }],
  [
    'str_replace_based_edit_tool',
    { command: 'create', path: 'a', file_text: 'b' },
    'write_file',
    { path: 'a', content: 'b' },
  ],
  [
    'str_replace_editor',
    { path: 'a', old_str: 'b', new_str: 'c' },
    'edit_file',
    { path: 'a', old: 'b', new: 'c' },
  ],
])('%s %j runs as %s, and the conversation keeps that', (name, input, tool, kept) => {
  const prepared = prepare(name, input)

  expect(prepared).toMatchObject({ kind: 'ready', tool: { name: tool }, call: { id: 'c', name: tool } })
  expect(JSON.parse(prepared.call.input)).toEqual(kept)
})

test('a name of another agent is answered with the name it has here', () => {
  expect(prepare('bash', { command: 'ls' })).toMatchObject({ remark: '[bash is run_command here]' })
  expect(prepare('ReadFile', { path: 'a' })).not.toHaveProperty('remark')
})

test('what was right keeps its bytes', () => {
  const input = '{ "path" : "a" }'

  expect(prepare('read_file', input).call).toEqual({ id: 'c', name: 'read_file', input })
})

test('a call inside call_tool stays inside it, repaired', () => {
  const { call } = prepare('call_tool', { name: 'readFile', arguments: '{"file": "a"}' })

  expect(call).toEqual({ id: 'c', name: 'call_tool', input: '{"name":"read_file","arguments":{"path":"a"}}' })
})

test('of a cut write the conversation keeps the lines that were written', () => {
  const { call } = prepare('write_file', '{"path":"a","content":"one\\ntwo\\nthr', true)

  expect(JSON.parse(call.input)).toEqual({ path: 'a', content: 'one\ntwo\n' })
})
