/** DeepSeek: tokens of its own around a fenced call (V3, R1) or a bare one (V3.1); tags with a prefix (V3.2, V4). */
import { chatTokens, invokeTags, thinking } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import type { Marker } from './family.ts'
import { item, section, tokens } from './family.ts'
import { headedItem, taggedItem } from '../read/items.ts'
import { namedShape, taggedShape } from '../read/shape.ts'

/** The token is written in several ways once it has passed through a model. */
const BLANKS = ['▁', '_', ' ', '\\_']
const spelled = (words: string): string[] => BLANKS.map((blank) => `<｜${words.replaceAll(' ', blank)}｜>`)

const callsEnd = [...spelled('tool calls end')]
const call = headedItem({ separators: spelled('tool sep'), close: spelled('tool call end') })

const markers: readonly Marker[] = [
  ...[...spelled('tool calls begin'), '<｜tool▁calls｜>'].map((open) => section(open, callsEnd)),
  ...spelled('tool call begin').map((open) => item(open, call)),
  thinking,
  ...chatTokens,
  ...tokens('<｜end▁of▁sentence｜>', '<｜Assistant｜>', '<｜User｜>', '<｜begin▁of▁sentence｜>'),
]

const output = ({ text }: { readonly text: string }): string =>
  `<｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜>`

export const deepseek = defineFamily({
  name: 'deepseek',
  models: /deepseek/i,
  shape: namedShape({
    open: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>',
    between: '\n```json\n',
    close: '\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  }),
  markers,
  result: ({ text }) => `<｜tool▁outputs▁begin｜>${output({ text })}<｜tool▁outputs▁end｜>`,
})

export const deepseek31 = defineFamily({
  name: 'deepseek-v3.1',
  models: /deepseek[-_]?(?:ai[-_]?deepseek[-_]?)?v3[-_.]?1/i,
  shape: namedShape({
    open: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>',
    between: '<｜tool▁sep｜>',
    close: '<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  }),
  markers,
  result: output,
})

/** Any prefix between the bars: DeepSeek writes `DSML`, GigaChat 3.5 `GCML`. */
export const barTags = (prefix: string): ReturnType<typeof invokeTags> => ({
  ...invokeTags(`｜${prefix}｜`),
  padded: false,
  attributes: 'string',
})

const dsml = barTags('DSML')

export const deepseekDsml = defineFamily({
  name: 'deepseek-dsml',
  models: /deepseek[-_]?(?:ai[-_]?deepseek[-_]?)?(?:v3[-_.]?[2-9]|v[4-9])/i,
  shape: taggedShape(dsml, { open: '<｜DSML｜tool_calls>\n', close: '\n</｜DSML｜tool_calls>' }),
  markers: [
    section('<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>'),
    section('<｜DSML｜function_calls>', '</｜DSML｜function_calls>'),
    item(dsml.call.open, taggedItem(dsml)),
    ...markers,
  ],
  result: ({ text }) => `<function_results>\n<result>${text}</result>\n</function_results>`,
})
