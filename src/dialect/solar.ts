/** Solar Open 2: the name behind a token, arguments between tokens. */
import { defineFamily } from './define-family.ts'
import { section, think } from './family.ts'
import { taggedShape } from './shape.ts'
import type { TagShape } from './tagged.ts'

const tags: TagShape = {
  key: { open: '<|tool_arg:start|>', end: '<|tool_arg:value|>' },
  value: { close: '<|tool_arg:end|>' },
}

export const solar = defineFamily({
  name: 'solar',
  models: /solar/i,
  shape: taggedShape(tags, { open: '<|tool_call:start|>', close: '<|tool_call:end|>' }),
  markers: [
    section('<|tool_call:start|>', '<|tool_call:end|>', { tags }),
    think('<|think:start|>', '<|think:end|>', '<|content:start|>'),
  ],
  result: ({ text }) => text,
})
