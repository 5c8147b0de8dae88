/** Command R7B and Command A: a list of calls between tokens. Command R+ writes it fenced, behind `Action:`. */
import { defineFamily } from './define-family.ts'
import type { Marker } from './family.ts'
import { section, think, tokens } from './family.ts'
import { jsonShape } from '../read/shape.ts'

export const cohereMarkers: readonly Marker[] = [
  section('<|START_ACTION|>', '<|END_ACTION|>', { accepts: ['json'] }),
  think('<|START_THINKING|>', '<|END_THINKING|>', '<|START_TEXT|>', '<|START_RESPONSE|>'),
  ...tokens(
    '<|END_RESPONSE|>',
    '<|END_TEXT|>',
    '<|CHATBOT_TOKEN|>',
    '<|END_OF_TURN_TOKEN|>',
    '<|START_OF_TURN_TOKEN|>',
  ),
]

export const toolResults = ({ text, callId }: { readonly text: string; readonly callId: string }): string =>
  `<|START_TOOL_RESULT|>${JSON.stringify([{ tool_call_id: callId, results: { '0': text } }])}<|END_TOOL_RESULT|>`

export const actionShape = jsonShape({
  open: '<|START_ACTION|>',
  close: '<|END_ACTION|>',
  list: true,
  nameKey: 'tool_name',
  argumentsKey: 'parameters',
})

export const commandR = defineFamily({
  name: 'command-r',
  models: /command-?(?:r7b|a)|c4ai|cohere|aya/i,
  shape: actionShape,
  markers: cohereMarkers,
  result: toolResults,
})

export const commandRPlus = defineFamily({
  name: 'command-r-plus',
  models: /command-?r(?!7b)/i,
  shape: jsonShape({
    open: 'Action: ```json\n',
    close: '\n```',
    list: true,
    nameKey: 'tool_name',
    argumentsKey: 'parameters',
  }),
  markers: cohereMarkers,
  result: ({ text }) => `<results>\n${text}\n</results>`,
})
