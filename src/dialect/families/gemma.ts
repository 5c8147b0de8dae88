/** Gemma 4 and FunctionGemma write a notation of their own; Gemma 3 is asked for fenced Python. */
import { chatTokens } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { answers, control, innerItem, section, tokens } from './family.ts'
import { gemmaItem } from '../read/gemma-calls.ts'
import { gemmaShape } from '../read/gemma-shape.ts'
import { pythonShape } from '../read/shape.ts'

const turns = tokens('<end_of_turn>', '<start_of_turn>model\n', '<turn|>', '<|turn>model\n', '<|turn>')

export const gemma = defineFamily({
  name: 'gemma',
  models: /gemma-?_?4|gemma4/i,
  shape: gemmaShape({ open: '<|tool_call>', close: '<tool_call|>', quote: '<|"|>' }),
  markers: [
    section('<|tool_call>', '<tool_call|>'),
    innerItem('call:', gemmaItem),
    // The channel opens with its name; an empty one says nothing.
    control('<|channel>', function* (input) {
      if (!(yield* input.take('thought'))) return {}
      yield* input.skipSpace()
      return { channel: 'reasoning' }
    }),
    ...answers('<channel|>'),
    ...turns,
    ...chatTokens,
  ],
  result: ({ name, text }) => `<|tool_response>response:${name}{value:<|"|>${text}<|"|>}<tool_response|>`,
})

export const functionGemma = defineFamily({
  name: 'functiongemma',
  models: /function-?gemma/i,
  shape: gemmaShape({ open: '<start_function_call>', close: '<end_function_call>', quote: '<escape>' }),
  markers: [section('<start_function_call>', '<end_function_call>'), innerItem('call:', gemmaItem), ...turns],
  result: ({ name, text }) =>
    `<start_function_response>response:${name}{value:<escape>${text}<escape>}<end_function_response>`,
})

export const gemma3 = defineFamily({
  name: 'gemma3',
  models: /gemma/i,
  shape: pythonShape({ open: '```tool_code\n', close: '\n```' }),
  markers: turns,
  result: ({ text }) => `\`\`\`tool_output\n${text}\n\`\`\``,
})
