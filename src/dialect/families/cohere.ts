/** Cohere 2 MoE: as Command R7B, the answer between tokens of its own. */
import { actionShape, cohereMarkers, toolResults } from './command-r.ts'
import { defineFamily } from './define-family.ts'

export const cohere = defineFamily({
  name: 'cohere',
  models: /cohere-?2|north-?code|command-?4|cohere_command/i,
  shape: actionShape,
  markers: cohereMarkers,
  result: toolResults,
})
