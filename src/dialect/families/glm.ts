/** GLM 4.5 and later, Laguna, Ling 3: the name bare, then pairs of key and value. */
import { argumentPairs, chatTokens, thinking, toolCallSection, toolResponse } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, tokens } from './family.ts'
import { taggedShape } from '../read/shape.ts'

export const glm = defineFamily({
  name: 'glm',
  models: /(?:^|[^a-z])(?:chat)?glm|laguna|ling-?3|bailing|poolside|hy[-_]?v3/i,
  shape: taggedShape(argumentPairs, { open: '<tool_call>', close: '</tool_call>' }),
  markers: [
    toolCallSection,
    section('<tool_calls>', '</tool_calls>', { tags: argumentPairs }),
    thinking,
    ...chatTokens,
    ...tokens('<|user|>', '<|observation|>', '<|assistant|>', '<|role_end|>'),
  ],
  result: ({ text }) => `<|observation|>\n${toolResponse({ text })}`,
})
