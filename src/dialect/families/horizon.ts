/** K2 Horizon: GLM's pairs, every tag with a prefix. */
import { defineFamily } from './define-family.ts'
import { section, thinkTag } from './family.ts'
import { taggedShape } from '../read/shape.ts'
import type { TagShape } from '../read/tagged.ts'

const tags: TagShape = {
  key: { open: '<ifm|arg_key>', end: '</ifm|arg_key>' },
  value: { open: '<ifm|arg_value>', close: '</ifm|arg_value>' },
}

export const horizon = defineFamily({
  name: 'horizon',
  models: /horizon/i,
  shape: taggedShape(tags, {
    open: '<ifm|tool_calls><ifm|tool_call>',
    close: '</ifm|tool_call></ifm|tool_calls>',
  }),
  markers: [
    section('<ifm|tool_calls>', '</ifm|tool_calls>'),
    section('<ifm|tool_call>', '</ifm|tool_call>', { tags }),
    thinkTag('ifm|think'),
    thinkTag('ifm|think_fast'),
    thinkTag('ifm|think_faster'),
  ],
  result: ({ text }) => text,
})
