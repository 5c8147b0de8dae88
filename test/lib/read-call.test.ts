import { expect, test } from 'vitest'
import { innerCall } from '../../src/lib/inner-call.ts'
import { readCall } from '../../src/lib/read-call.ts'

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = [
  { name: 'read_file', parameters: path },
  { name: 'call_tool', parameters: { type: 'object' } },
]
const call = (name: string, input: unknown) => ({
  id: 'c',
  name,
  input: typeof input === 'string' ? input : JSON.stringify(input),
})

test.each([
  [call('read_file', { path: 'a' }), true],
  [call('call_tool', { name: 'read_file', arguments: { path: 'a' } }), true],
  [call('call_tool', { name: 'read_file', path: 'a' }), true],
  [call('callTool', { name: 'readFile', arguments: '{"path":"a"}' }), false],
  [call('read_file', JSON.stringify('{"path":"a"}')), false],
  [call('read_file', '{path: "a",}'), false],
])('%j reads a', (written, isStrict) => {
  const reading = readCall(written, tools)

  expect(reading).toMatchObject({ ok: true, tool: tools[0], value: { path: 'a' }, isStrict })
})

test.each([
  [call('call_tool', { name: 'nothing', arguments: {} }), { ok: true, tool: tools[1] }],
  [call('nothing', {}), { ok: false, reason: 'unknown-tool' }],
  [call('read_file', '{"path": "a'), { ok: false, reason: 'bad-arguments' }],
])('%j is what it is', (written, expected) => {
  expect(readCall(written, tools)).toMatchObject(expected)
})

test('a wrapper that names no tool is left as it is', () => {
  const empty = call('call_tool', { arguments: {} })

  expect(innerCall(empty)).toBe(empty)
})
