/** Solar Open: id, name and JSON behind tokens of their own. Solar Open 2: every argument between tokens. */
import { defineFamily } from './define-family.ts'
import { item, section, think, tokens } from './family.ts'
import { headedItem } from '../read/items.ts'
import { taggedShape } from '../read/shape.ts'
import type { TagShape } from '../read/tagged.ts'

const tags: TagShape = {
  key: { open: '<|tool_arg:start|>', end: '<|tool_arg:value|>' },
  value: { close: '<|tool_arg:end|>' },
}

const openCall = headedItem({
  separators: ['<|tool_call:name|>', '<|tool_call:args|>'],
  close: ['<|tool_call:end|>'],
})

export const solar = defineFamily({
  name: 'solar',
  models: /solar/i,
  shape: taggedShape(tags, { open: '<|tool_call:start|>', close: '<|tool_call:end|>' }),
  markers: [
    section('<|tool_call:start|>', '<|tool_call:end|>', { tags }),
    think('<|think:start|>', '<|think:end|>', '<|content:start|>'),
    section('<|tool_calls|>', ['<|calls|>', '<|end|>']),
    item('<|tool_call:begin|>', openCall),
    think('<|think|>', '<|end|>', '<|content|>'),
    ...tokens('<|begin|>assistant', '<|begin|>', '<|flush|>'),
  ],
  result: ({ text }) => text,
})
