/** Nemotron Nano v2 and Llama Nemotron: a list of calls between `<TOOLCALL>` tags. */
import { chatTokens, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const nemotron = defineFamily({
  name: 'nemotron',
  models: /nemotron/i,
  shape: jsonShape({ open: '<TOOLCALL>', close: '</TOOLCALL>', list: true }),
  markers: [
    section('<TOOLCALL>', '</TOOLCALL>'),
    thinking,
    ...tokens('<SPECIAL_12>', '<SPECIAL_11>'),
    ...chatTokens,
  ],
  result: ({ text }) => `<TOOL_RESPONSE>[${text}]</TOOL_RESPONSE>`,
})
