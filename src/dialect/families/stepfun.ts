/** StepFun 3.5 and later write Qwen's tags; Step 3 writes its own inside DeepSeek-like tokens. */
import {
  chatTokens,
  functionItem,
  functionTags,
  invokeTags,
  thinking,
  toolCallSection,
} from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { item } from './family.ts'
import { taggedItem } from '../read/items.ts'
import { taggedShape } from '../read/shape.ts'

const steptml = invokeTags('steptml:')

export const stepfun = defineFamily({
  name: 'stepfun',
  models: /step-?fun|step-?3/i,
  shape: taggedShape(functionTags, { open: '<tool_call>\n', close: '\n</tool_call>' }),
  markers: [
    toolCallSection,
    functionItem,
    item(steptml.call.open, taggedItem(steptml)),
    thinking,
    ...chatTokens,
  ],
  result: ({ text }) => `<tool_response>${text}</tool_response>`,
})
