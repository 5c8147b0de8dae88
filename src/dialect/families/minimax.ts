/** MiniMax M2: `<invoke>` tags in a section of its own. M3: nested elements, every tag behind a prefix. */
import { chatTokens, invokeTags, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { elementItem } from '../read/element-calls.ts'
import { elementShape } from '../read/element-shape.ts'
import { item, section, thinkTag, tokens } from './family.ts'
import { taggedItem } from '../read/items.ts'
import { taggedShape } from '../read/shape.ts'

const tags = invokeTags()

export const minimax = defineFamily({
  name: 'minimax',
  models: /mini-?max/i,
  shape: taggedShape(tags, { open: '<minimax:tool_call>\n', close: '\n</minimax:tool_call>', inline: true }),
  markers: [
    section('<minimax:tool_call>', '</minimax:tool_call>'),
    item(tags.call.open, taggedItem(tags)),
    section('<tool_calls>', '</tool_calls>'),
    thinking,
    ...tokens('[e~[', ']~b]ai\n', ']~b]'),
    ...chatTokens,
  ],
  result: ({ text }) => `<response>${text}</response>`,
})

const PREFIX = ']<]minimax[>['

export const minimax3 = defineFamily({
  name: 'minimax-m3',
  models: /mini-?max[-_]?m?[3-9]/i,
  shape: elementShape(PREFIX),
  markers: [
    section(`${PREFIX}<tool_call>`, [`${PREFIX}</tool_call>`, '</tool_call>']),
    item(`${PREFIX}<invoke name=`, elementItem(PREFIX)),
    thinkTag('mm:think'),
    ...tokens(PREFIX, '[e~['),
  ],
  result: ({ text }) => `<response>${text}</response>`,
})
