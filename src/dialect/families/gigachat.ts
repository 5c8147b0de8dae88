/** GigaChat 3: a role of its own for the call, or a token; 3.5 writes tags with a prefix. */
import { thinking } from './common-markers.ts'
import { barTags } from './deepseek.ts'
import { defineFamily } from './define-family.ts'
import { item, section, tokens } from './family.ts'
import { taggedItem } from '../read/items.ts'
import { jsonShape } from '../read/shape.ts'

const ROLE = 'function call<|role_sep|>\n'
const gcml = barTags('GCML')

export const gigachat = defineFamily({
  name: 'gigachat',
  models: /gigachat/i,
  shape: jsonShape({ open: `<|message_sep|>\n\n${ROLE}` }),
  markers: [
    section(`<|message_sep|>\n\n${ROLE}`, [], { accepts: ['json'] }),
    section(ROLE, [], { accepts: ['json'] }),
    section('<|function_call|>', [], { accepts: ['json'] }),
    section('<｜GCML｜tool_calls>', '</｜GCML｜tool_calls>'),
    item(gcml.call.open, taggedItem(gcml)),
    thinking,
    ...tokens('<|message_sep|>', '<|role_sep|>'),
    { kind: 'token', open: '</s>', last: true },
  ],
  result: ({ text }) => `function result<|role_sep|>\n${text}<|message_sep|>\n\n`,
})
