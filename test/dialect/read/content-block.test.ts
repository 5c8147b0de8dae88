import { describe, expect, it } from 'vitest'
import { requireDialect } from '../../../src/dialect/all.ts'
import { readingBlocks, withBlocks } from '../../../src/dialect/read/content-block.ts'
import { loadToolInstructions } from '../../../src/dialect/instructions.ts'
import { createReplyReader } from '../../../src/dialect/read/reply.ts'
import type { ReplyEvent } from '../../../src/protocol/dialect.ts'
import type { ToolSchema } from '../../../src/protocol/model.ts'

const tools: readonly ToolSchema[] = ['write_file', 'list_files'].map((name) => ({
  name,
  parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
}))

function read(reply: string, size = reply.length): ReplyEvent[] {
  const reader = readingBlocks(() => createReplyReader({ tools, dialect: 'hermes' }))
  const events: ReplyEvent[] = []
  for (let at = 0; at < reply.length; at += size) events.push(...reader.push(reply.slice(at, at + size)))
  return [...events, ...reader.end()]
}

const callsIn = (events: readonly ReplyEvent[]): unknown[] =>
  events.flatMap((event) =>
    event.type === 'tool-call' ? [[event.call.name, JSON.parse(event.call.input)]] : [],
  )

const textIn = (events: readonly ReplyEvent[]): string =>
  events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')

const CALL = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py"}}\n</tool_call>\n'

describe('the block behind a call', () => {
  const content =
    'def f():\n    return "a\\n"\n\n<tool_call>{"name": "list_files", "arguments": {}}</tool_call>\n'

  it.each([1, 7, 10_000])('is its content, whatever it contains (in pieces of %i)', (size) => {
    const events = read(`I write it.\n${CALL}\`\`\`python\n${content}\`\`\`\nDone.`, size)

    expect(callsIn(events)).toEqual([['write_file', { path: 'a.py', content }]])
    expect(textIn(events)).toMatch(/^I write it\.\s*Done\.$/)
  })

  it('may hold blocks, and another call may follow', () => {
    const readme = '# A\n```sh\nnpm ci\n```\nend\n'
    const next = '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>'

    const events = read(`${CALL}\`\`\`md\n${readme}\`\`\`\n${next}`)

    expect(callsIn(events)).toEqual([
      ['write_file', { path: 'a.py', content: readme }],
      ['list_files', {}],
    ])
  })

  it('is not taken where the call has its content, where text stands between, or where it never ends', () => {
    const whole = CALL.replace('"a.py"', '"a.py", "content": "x"')

    expect(callsIn(read(`${whole}\`\`\`\ny\n\`\`\`\n`))).toEqual([
      ['write_file', { path: 'a.py', content: 'x' }],
    ])
    expect(callsIn(read(`${CALL}Then:\n\`\`\`\ny\n\`\`\`\n`))).toEqual([['write_file', { path: 'a.py' }]])
    expect(callsIn(read(`${CALL}\`\`\`\ny\nhalf a li`))).toEqual([['write_file', { path: 'a.py' }]])
  })
})

it.each(['hermes', 'tag', 'plain', 'qwen-xml', 'llama3'])('what %s writes is read back', (name) => {
  const writer = withBlocks(requireDialect(name))
  const content = 'a "b"\n```js\n1\n```\n'
  const call = { id: 'call-1', name: 'write_file', input: JSON.stringify({ path: 'a.md', content }) }

  const reader = readingBlocks(() => createReplyReader({ tools, dialect: name }))
  const events = [...reader.push(writer.write(call)), ...reader.end()]

  expect(callsIn(events)).toEqual([['write_file', { path: 'a.md', content }]])
})

it('is described where there is something to write', async () => {
  const told = await loadToolInstructions(tools, { blocks: true })
  const other = await loadToolInstructions(tools.slice(1), { blocks: true })

  expect(told).toContain('fenced block')
  expect(other).not.toContain('fenced block')
})
