/** Llama 3: bare JSON with `parameters`, several separated by `;`; built-in tools as Python behind a token. */
import { chatTokens, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const llama3 = defineFamily({
  name: 'llama3',
  models: /llama-?_?3|llama3/i,
  shape: jsonShape({ argumentsKey: 'parameters' }),
  markers: [
    section('<|python_tag|>', [], { accepts: ['json', 'python'] }),
    thinking,
    ...chatTokens,
    ...tokens(
      '<|start_header_id|>assistant<|end_header_id|>\n\n',
      '<|start_header_id|>',
      '<|end_header_id|>',
    ),
  ],
  result: ({ text }) => `<|start_header_id|>ipython<|end_header_id|>\n\n${text}<|eot_id|>`,
})
