/** Our own tag: `<tool name="x">{json}</tool>`, over as many lines as the model likes. */
import { defineFamily } from '../families/define-family.ts'
import { item } from '../families/family.ts'
import { tagItem } from './tag-calls.ts'
import { namedShape } from './shape.ts'

export const tag = defineFamily({
  name: 'tag',
  models: /(?!)/,
  shape: namedShape({ open: '<tool name="', between: '">\n', close: '\n</tool>' }),
  markers: [
    item('<tool ', tagItem('tool')),
    item('<tool_call name=', tagItem('tool_call')),
    item('<function_call name=', tagItem('function_call')),
    item('<tool_use name=', tagItem('tool_use')),
    item('<use_mcp_tool>', tagItem('use_mcp_tool')),
  ],
  result: ({ name, text }) => `<result name="${name}">\n${text}\n</result>`,
})
