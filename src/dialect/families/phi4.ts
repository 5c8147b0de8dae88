/** Phi-4-mini: `functools` and a list of calls, or JSON between tokens with the llama.cpp template. */
import { chatTokens } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { answers, section, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const functools = section('functools', [], { accepts: ['json'] })

export const phi4 = defineFamily({
  name: 'phi4',
  models: /phi-?[345]/i,
  shape: jsonShape({ open: 'functools', list: true }),
  markers: [
    functools,
    section('<|tool_call|>', ['<|/tool_call|>', '</tool_call>']),
    ...answers('<|end|>'),
    ...tokens('<|assistant|>'),
    ...chatTokens,
  ],
  result: ({ text }) => `<|tool_response|>${text}<|end|>`,
})
