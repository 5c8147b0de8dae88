/** Calls as Python: a bare list (Llama 4, ToolACE), between tokens (LFM2), one to a line between tags (Olmo 3). */
import { chatTokens, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section } from './family.ts'
import { pythonShape } from '../read/shape.ts'

export const pythonic = defineFamily({
  name: 'pythonic',
  models: /llama-?_?4|llama4|toolace|pythonic/i,
  shape: pythonShape({ open: '[', close: ']' }),
  markers: [section('<|python_start|>', '<|python_end|>'), thinking, ...chatTokens],
  result: ({ text }) => `<|header_start|>ipython<|header_end|>\n\n${text}<|eot|>`,
  habits: ['python'],
})

export const lfm2 = defineFamily({
  name: 'lfm2',
  models: /lfm-?2|liquid/i,
  shape: pythonShape({ open: '<|tool_call_start|>[', close: ']<|tool_call_end|>' }),
  markers: [section('<|tool_call_start|>', '<|tool_call_end|>'), thinking, ...chatTokens],
  result: ({ text }) => `<|tool_response_start|>${text}<|tool_response_end|>`,
})

export const olmo = defineFamily({
  name: 'olmo',
  models: /olmo/i,
  shape: pythonShape({ open: '<function_calls>\n', close: '\n</function_calls>' }),
  markers: [section('<function_calls>', '</function_calls>'), thinking, ...chatTokens],
  result: ({ text }) => `<function_results>\n${text}\n</function_results>`,
  habits: ['python'],
})
