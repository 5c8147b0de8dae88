/** Apertus: a list between tokens, the name of the tool as the key of its arguments. */
import { defineFamily } from './define-family.ts'
import { section, think, tokens } from './family.ts'
import { keyedShape } from '../read/shape.ts'

export const apertus = defineFamily({
  name: 'apertus',
  models: /apertus/i,
  shape: keyedShape({ open: '<|tools_prefix|>[', close: ']<|tools_suffix|>' }),
  markers: [
    section('<|tools_prefix|>', '<|tools_suffix|>'),
    think('<|inner_prefix|>', '<|inner_suffix|>'),
    ...tokens('<|assistant_end|>', '<|assistant_start|>'),
  ],
  result: ({ text }) => `[${JSON.stringify(text)}]`,
})
