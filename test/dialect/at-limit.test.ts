/** Calls of a reply that the output limit cut: those that are whole are calls, the last one only behind its closing tag. */
import { expect, test } from 'vitest'
import { toLimitedReader } from '../../src/dialect/read/at-limit.ts'
import { createReplyReader } from '../../src/dialect/read/reply.ts'

const tools = [
  {
    name: 'read_file',
    description: 'Read a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
]

const json = (path: string): string => `{"name": "read_file", "arguments": {"path": "${path}"}}`

/** The paths of the calls that are made, and `cut` for one that is not. */
function callsIn(text: string): string[] {
  const reader = toLimitedReader(createReplyReader({ tools }))
  const events = [...reader.push(text), ...reader.end(true)]
  return events.flatMap((event) => {
    if (event.type === 'bad-call') return ['cut']
    return event.type === 'tool-call' ? [(JSON.parse(event.call.input) as { path: string }).path] : []
  })
}

test.each([
  ['tags', `<tool_call>\n${json('a')}\n</tool_call>\n<tool_call>\n{"name": "read_f`, ['a', 'cut']],
  [
    'tags, in an argument',
    `<tool_call>${json('a')}</tool_call><tool_call>${json('b').slice(0, -3)}`,
    ['a', 'cut'],
  ],
  ['tags, in the next tag', `<tool_call>\n${json('a')}\n</tool_call>\n<tool_`, ['a']],
  ['tags, behind the last', `<tool_call>\n${json('a')}\n</tool_call>`, ['a']],
  ['a list in tags', `<tool_call>\n[${json('a')}, ${json('b')}, {"name": "re`, ['a', 'b', 'cut']],
  ['a list behind a marker', `[TOOL_CALLS][${json('a')}, {"name": "read_file", "argu`, ['a', 'cut']],
  ['one line each', `${json('a')}\n${json('b')}\n{"name": "read_fi`, ['a', 'b']],
  [
    'tagged arguments',
    '<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n<function=read_file>\n<parameter=path>\nb',
    ['a', 'cut'],
  ],
  ['fences', `\`\`\`json\n${json('a')}\n\`\`\`\n\`\`\`json\n${json('b').slice(0, -4)}`, ['a', 'cut']],
  ['a line of its own, which may go on', 'Action: read_file\nAction Input: notes/tod', ['cut']],
])('%s', (_, text, made) => {
  expect(callsIn(text)).toEqual(made)
})
