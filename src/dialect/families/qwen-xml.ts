/** Qwen3-Coder, Qwen 3.5 and Nemotron 3: a tag for the function, a tag for every parameter, values as bare text. */
import {
  chatTokens,
  functionItem,
  functionTags,
  thinking,
  toolCallSection,
  toolResponse,
} from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { taggedShape } from '../read/shape.ts'

export const qwenXml = defineFamily({
  name: 'qwen-xml',
  models: /qwen-?3-?(?:coder|next|xml)|qwen-?3\.[5-9]|qwen-?[4-9]|nemotron-?3/i,
  shape: taggedShape(functionTags, { open: '<tool_call>\n', close: '\n</tool_call>' }),
  markers: [toolCallSection, functionItem, thinking, ...chatTokens],
  result: toolResponse,
})
