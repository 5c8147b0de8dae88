/** Cohere 2 MoE: as Command R7B, the answer between tokens of its own. */
import { cohereMarkers, toolResults } from './command-r.ts'
import { defineFamily } from './define-family.ts'
import { jsonShape } from '../read/shape.ts'

export const cohere = defineFamily({
  name: 'cohere',
  models: /cohere-?2|north-?code|command-?4|cohere_command/i,
  shape: jsonShape({
    open: '<|START_ACTION|>',
    close: '<|END_ACTION|>',
    list: true,
    nameKey: 'tool_name',
    argumentsKey: 'parameters',
  }),
  markers: cohereMarkers,
  result: toolResults,
})
