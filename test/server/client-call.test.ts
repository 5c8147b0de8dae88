import { expect, test } from 'vitest'
import { repairCall } from '../../src/server/api/call.ts'

const text = { type: 'string' }
const tools = [
  {
    name: 'bash',
    parameters: {
      type: 'object',
      properties: { command: text, description: text },
      required: ['command', 'description'],
    },
  },
  {
    name: 'create_issue',
    parameters: { type: 'object', properties: { description: text }, required: ['description'] },
  },
]
const repair = (name: string, input: string) => repairCall({ id: 'c', name, input }, tools)

test('a text that only describes the call is filled in', () => {
  expect(repair('bash', '{"command":"npm test\\nls"}')).toEqual({
    id: 'c',
    name: 'bash',
    input: '{"command":"npm test\\nls","description":"bash npm test"}',
  })
})

test('a text the tool works with is not made up', () => {
  expect(repair('create_issue', '{}')).toEqual({ id: 'c', name: 'create_issue', input: '{}' })
})

test('a name from another agent becomes the one of the client', () => {
  const input = '{"command":"ls","description":"list"}'

  expect(repair('run_command', input)).toEqual({ id: 'c', name: 'bash', input })
})

test('arguments written as text once more are read', () => {
  expect(repair('bash', JSON.stringify('{"command":"ls","description":"list"}'))).toEqual({
    id: 'c',
    name: 'bash',
    input: '{"command":"ls","description":"list"}',
  })
})
