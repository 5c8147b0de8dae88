/** Muse Glimmer: Harmony's headers, `<invoke>` tags with a prefix for calls. */
import { invokeTags } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { item, section } from './family.ts'
import { harmonyMarkers } from './harmony.ts'
import { taggedItem } from '../read/items.ts'
import { taggedShape } from '../read/shape.ts'

const tags = invokeTags('atem:')

export const muse = defineFamily({
  name: 'muse',
  models: /muse|glimmer/i,
  shape: taggedShape(tags, {
    open: '<atem:function_calls>\n',
    close: '\n</atem:function_calls>',
    inline: true,
  }),
  markers: [
    section('<atem:function_calls>', '</atem:function_calls>'),
    item(tags.call.open, taggedItem(tags)),
    ...harmonyMarkers,
  ],
  result: ({ name, text }) => `<|start|>tool ${name}<|message|>${text}<|eom|>`,
})
