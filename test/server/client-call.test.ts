import { expect, test } from 'vitest'
import { mendCall } from '../../src/server/api/call.ts'

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
const mend = (name: string, input: string) => mendCall({ id: 'c', name, input }, tools)

test('a text that only describes the call is filled in', () => {
  expect(mend('bash', '{"command":"npm test\\nls"}')).toEqual({
    id: 'c',
    name: 'bash',
    input: '{"command":"npm test\\nls","description":"bash npm test"}',
  })
})

test('a text the tool works with is not made up', () => {
  expect(mend('create_issue', '{}')).toEqual({ id: 'c', name: 'create_issue', input: '{}' })
})

test('a name from another agent becomes the one of the client', () => {
  const input = '{"command":"ls","description":"list"}'

  expect(mend('run_command', input)).toEqual({ id: 'c', name: 'bash', input })
})

test('arguments written as text once more are read', () => {
  expect(mend('bash', JSON.stringify('{"command":"ls","description":"list"}'))).toEqual({
    id: 'c',
    name: 'bash',
    input: '{"command":"ls","description":"list"}',
  })
})
