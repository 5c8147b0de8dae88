/** Reka Edge and Flash: JSON between `<tool_call>` tags, the closing one right behind it. */
import { chatTokens, thinking, toolCallSection } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { jsonShape } from '../read/shape.ts'

export const reka = defineFamily({
  name: 'reka',
  models: /reka/i,
  shape: jsonShape({ open: '<tool_call>\n', close: '</tool_call>' }),
  markers: [toolCallSection, thinking, { kind: 'token', open: '<sep>', last: true }, ...chatTokens],
  result: ({ text }) => `<tool_response>${text}</tool_response>`,
})
