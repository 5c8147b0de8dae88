import { expect, test } from 'vitest'
import { unknownTool } from '../../src/engine/unknown-tool.ts'

const names = ['list_files', 'read_file', 'run_command']

test('the nearest tool is named first, then what there is', () => {
  expect(unknownTool('reed_file', names)).toBe(
    'There is no tool "reed_file". Did you mean read_file? Tools: list_files, read_file, run_command.',
  )
})

test('what is like nothing is not guessed', () => {
  expect(unknownTool('teleport', names)).toBe(
    'There is no tool "teleport". Tools: list_files, read_file, run_command.',
  )
})

test('a long list is cut and says so', () => {
  const many = Array.from({ length: 25 }, (_, index) => `tool_${index}`)

  expect(unknownTool('teleport', many)).toMatch(/tool_19, and 5 more\.$/)
})

test('without tools the error asks the model to answer', () => {
  expect(unknownTool('read_file', [])).toBe(
    'There is no tool "read_file". There are no tools: answer in words.',
  )
})
