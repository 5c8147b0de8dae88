/** MiniCPM 5: tags for function and parameters; a value that holds markup is in CDATA. */
import { chatTokens, thinking, toolResponse } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { item } from './family.ts'
import { taggedItem } from '../read/items.ts'
import { taggedShape } from '../read/shape.ts'
import type { TagShape } from '../read/tagged.ts'

const tags = {
  call: { open: '<function name=', end: '>', close: '</function>' },
  key: { open: '<param name=', end: '>' },
  value: { close: '</param>' },
  cdata: true,
} satisfies TagShape

export const minicpm = defineFamily({
  name: 'minicpm',
  models: /mini-?cpm/i,
  shape: taggedShape(tags, { open: '', close: '' }),
  markers: [item(tags.call.open, taggedItem(tags)), thinking, ...chatTokens],
  result: toolResponse,
})
