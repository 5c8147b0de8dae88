/** InternLM 2: JSON between action tokens. */
import { chatTokens } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const internlm = defineFamily({
  name: 'internlm',
  models: /internlm|intern-?s1/i,
  shape: jsonShape({
    open: '<|action_start|><|plugin|>',
    close: '<|action_end|>',
    argumentsKey: 'parameters',
  }),
  markers: [
    section('<|action_start|><|plugin|>', '<|action_end|>'),
    ...tokens('<|action_start|>', '<|plugin|>'),
    ...chatTokens,
  ],
  result: ({ text }) => text,
})
