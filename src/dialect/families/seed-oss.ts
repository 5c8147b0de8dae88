/** Seed-OSS: Qwen's tags in a section of its own, values on the line of their tag. */
import { functionItem, functionTags } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section, thinkTag, tokens } from './family.ts'
import { taggedShape } from '../read/shape.ts'

export const seedOss = defineFamily({
  name: 'seed-oss',
  models: /seed[-_]?(?:oss|coder)|bytedance|doubao/i,
  shape: taggedShape(functionTags, {
    open: '<seed:tool_call>\n',
    close: '\n</seed:tool_call>',
    inline: true,
  }),
  markers: [
    section('<seed:tool_call>', '</seed:tool_call>'),
    functionItem,
    thinkTag('seed:think'),
    ...tokens('<seed:eos>', '<seed:bos>assistant\n', '<seed:bos>'),
  ],
  result: ({ text }) => `<seed:bos>tool\n${text}<seed:eos>`,
})
