import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer'
import { expect, it } from 'vitest'
import { loadToolInstructions } from '../../src/dialect/instructions.ts'
import { read, summary, tools } from './support.ts'

it('tells a model about its tools in one line each', async () => {
  const text = await loadToolInstructions(tools)

  expect(text).toContain('- read_file(path, from?: integer): Does read_file.')
  expect(text).toContain('- set_options(options: object, mode?: "fast"|"slow", label?): Does set_options.')
})

it('takes no more than a hundred tokens beside the tools', async () => {
  const text = await loadToolInstructions([])

  expect(encode(text).length).toBeLessThanOrEqual(100)
})

it('shows calls in the dialect it is asked for, which the reader reads', async () => {
  const text = await loadToolInstructions(tools, { dialect: 'tag' })
  const example = '<tool name="tool_name">\n{"parameter": "value"}\n</tool>'

  const events = read(example.replace('tool_name', 'read_file').replace('parameter', 'path'))

  expect(text).toContain(example)
  expect(summary(events).calls).toEqual([['read_file', { path: 'value' }]])
})

it('uses the text of the person where there is one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'covey-prompts-'))
  await writeFile(join(folder, 'tools.md'), 'Mine: {{tools}} ($&)\n')

  const text = await loadToolInstructions(tools.slice(3, 4), { folder })

  expect(text).toBe('Mine: - list_files(): Does list_files. ($&)')
})

it('tells a model that can only propose about shell commands, and about no tool', async () => {
  const text = await loadToolInstructions(tools, { dialect: 'cmd' })

  expect(text).toContain('CMD: command')
  for (const { name } of tools) expect(text).not.toContain(name)
  expect(text).not.toContain('tool_name')
})
