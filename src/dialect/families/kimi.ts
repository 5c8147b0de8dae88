/** Kimi K2: a header with namespace, name and number, then JSON. Kimi K3: nested tags made of tokens. */
import { chatTokens, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { item, section, think, tokens } from './family.ts'
import { headedItem, taggedItem } from '../read/items.ts'
import { namedShape, taggedShape } from '../read/shape.ts'
import type { TagShape } from '../read/tagged.ts'

export const kimi = defineFamily({
  name: 'kimi',
  models: /kimi|moonshot/i,
  shape: namedShape({
    open: '<|tool_calls_section_begin|><|tool_call_begin|>functions.',
    between: ':0<|tool_call_argument_begin|>',
    close: '<|tool_call_end|><|tool_calls_section_end|>',
  }),
  markers: [
    section('<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'),
    item(
      '<|tool_call_begin|>',
      headedItem({ separators: ['<|tool_call_argument_begin|>'], close: ['<|tool_call_end|>'] }),
    ),
    thinking,
    ...chatTokens,
    ...tokens('<|im_assistant|>assistant<|im_middle|>', '<|im_middle|>'),
  ],
  result: ({ callId, text }) => `## Return of ${callId}\n${text}`,
})

const open = (tag: string): string => `<|open|>${tag}<|sep|>`
const close = (tag: string): string => `<|close|>${tag}<|sep|>`

const tags = {
  call: { open: '<|open|>call tool=', end: '<|sep|>', close: close('call') },
  key: { open: '<|open|>argument key=', end: '<|sep|>' },
  value: { close: close('argument') },
  attributes: 'type',
} satisfies TagShape

export const kimi3 = defineFamily({
  name: 'kimi-k3',
  models: /kimi[-_]?k?[3-9]/i,
  shape: taggedShape(tags, { open: open('tools'), close: close('tools') }),
  markers: [
    section(open('tools'), close('tools')),
    item(tags.call.open, taggedItem(tags)),
    think(open('think'), close('think'), open('response')),
    ...tokens(close('response'), close('message'), open('message role="assistant"'), '<|end_of_msg|>'),
  ],
  result: ({ name, text }) =>
    `${open(`message role="tool" name="${name}"`)}${text}${close('message')}<|end_of_msg|>`,
})
