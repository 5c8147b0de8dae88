/** Markers that several families share. */
import type { Marker } from './family.ts'
import { item, section, thinkTag, tokens } from './family.ts'
import { taggedItem } from '../read/items.ts'
import type { TagShape } from '../read/tagged.ts'

/** `<arg_key>k</arg_key><arg_value>v</arg_value>` behind a bare name. */
export const argumentPairs: TagShape = {
  key: { open: '<arg_key>', end: '</arg_key>' },
  value: { open: '<arg_value>', close: '</arg_value>' },
  json: true,
}

/** `<function=name><parameter=key>value</parameter></function>` */
export const functionTags = {
  call: { open: '<function=', end: '>', close: '</function>' },
  key: { open: '<parameter=', end: '>' },
  value: { close: '</parameter>' },
  padded: true,
} satisfies TagShape

/** `<invoke name="x"><parameter name="k">v</parameter></invoke>`, the tags with or without a prefix. */
export const invokeTags = (prefix = ''): TagShape & { call: NonNullable<TagShape['call']> } => ({
  call: { open: `<${prefix}invoke name=`, end: '>', close: `</${prefix}invoke>` },
  key: { open: `<${prefix}parameter name=`, end: '>' },
  value: { close: `</${prefix}parameter>` },
  padded: true,
})

/** The most common section. Its content is JSON, tagged arguments or pairs, depending on the model. */
export const toolCallSection: Marker = section('<tool_call>', '</tool_call>', { tags: argumentPairs })

export const functionItem: Marker = item(functionTags.call.open, taggedItem(functionTags))

export const thinking: Marker = thinkTag('think')

export const chatTokens: readonly Marker[] = tokens(
  '<|im_end|>',
  '<|im_start|>assistant\n',
  '<|im_start|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
)

export const toolResponse = ({ text }: { readonly text: string }): string =>
  `<tool_response>\n${text}\n</tool_response>`
