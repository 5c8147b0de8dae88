/** Inkling: typed blocks; a call is a block of JSON, the name of its tool repeated in front of it. */
import { defineFamily } from './define-family.ts'
import { control, section, think, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

const MAX_ECHO = 128

export const inkling = defineFamily({
  name: 'inkling',
  models: /inkling/i,
  shape: jsonShape({ open: '<|content_invoke_tool_json|>', close: '<|end_message|>', argumentsKey: 'args' }),
  markers: [
    section('<|content_invoke_tool_json|>', '<|end_message|>', { accepts: ['json'] }),
    think('<|content_thinking|>', '<|end_message|>', '<|content_text|>'),
    control('<|message_model|>', function* (input) {
      const echo = /^[\w.-]*(?=<\|)/.exec(yield* input.peek(MAX_ECHO))
      input.consume(echo?.[0].length ?? 0)
      return {}
    }),
    ...tokens('<|content_model_end_sampling|>'),
  ],
  result: ({ text }) => `<|message_tool|><|content_text|>${text}<|end_message|>`,
})
