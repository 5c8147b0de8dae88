/** Hermes, Qwen 2.5 and 3, Granite 4, SmolLM3, MiMo, Ernie and our nano: JSON between `<tool_call>` tags. */
import { chatTokens, thinking, toolCallSection, toolResponse } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { frame, section } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const hermes = defineFamily({
  name: 'hermes',
  models:
    /hermes|qwen-?(?:1\.5|2|2\.5|3)(?![.\d])|qwq|qwen|smollm|mimo|granite-?4|covey-?nano|ernie|mirothinker|exaone|bielik|falcon|trinity/i,
  shape: jsonShape({ open: '<tool_call>\n', close: '\n</tool_call>' }),
  markers: [
    toolCallSection,
    section('<function_call>', '</function_call>', { accepts: ['json'] }),
    // What the model makes of the tags it was shown; only for tools that exist.
    ...['tools', 'tool', 'json', 'JSON', 'xml'].map((tag) =>
      section(`<${tag}>`, `</${tag}>`, { accepts: ['json'], known: true }),
    ),
    thinking,
    frame('<response>', '</response>'),
    frame('<answer>', '</answer>'),
    ...chatTokens,
  ],
  result: toolResponse,
})
