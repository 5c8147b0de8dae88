/** Apriel: a list of calls between `<tool_calls>` tags; reasoning ends where the final response begins. */
import { chatTokens, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, think, thinkTag, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const apriel = defineFamily({
  name: 'apriel',
  models: /apriel|hunyuan|jamba/i,
  shape: jsonShape({ open: '<tool_calls>', close: '</tool_calls>', list: true }),
  markers: [
    section('<tool_calls>', '</tool_calls>'),
    think('[BEGIN REASONING]', '[BEGIN FINAL RESPONSE]'),
    thinkTag('thinking'),
    thinking,
    ...tokens('[END FINAL RESPONSE]'),
    ...chatTokens,
  ],
  result: ({ text }) => `<|tool_result|>\n${text}\n<|end|>`,
  habits: ['steps'],
})
