/** LongCat Flash: JSON between tags of its own. */
import { chatTokens } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, thinkTag } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const longcat = defineFamily({
  name: 'longcat',
  models: /longcat/i,
  shape: jsonShape({ open: '<longcat_tool_call>\n', close: '\n</longcat_tool_call>' }),
  markers: [section('<longcat_tool_call>', '</longcat_tool_call>'), thinkTag('longcat_think'), ...chatTokens],
  result: ({ text }) => text,
})
