/** Granite 3: a token and a list of JSON calls. */
import { chatTokens, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { frame, section, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const granite3 = defineFamily({
  name: 'granite3',
  models: /granite/i,
  shape: jsonShape({ open: '<|tool_call|>', list: true }),
  markers: [
    section('<|tool_call|>', ['<|/tool_call|>', '</tool_call>']),
    thinking,
    frame('<response>', '</response>'),
    ...tokens('<|start_of_role|>assistant<|end_of_role|>', '<|end_of_role|>'),
    ...chatTokens,
  ],
  result: ({ text }) => `<|start_of_role|>tool_response<|end_of_role|>${text}<|end_of_text|>`,
})
