/** ReAct: `Action:`, `Action Input:`, and the result as `Observation:`. */
import { defineFamily } from './define-family.ts'
import { namedShape } from '../read/shape.ts'

export const react = defineFamily({
  name: 'react',
  models: /react/i,
  shape: namedShape({ open: 'Action: ', between: '\nAction Input: ', close: '' }),
  markers: [],
  result: ({ text }) => `Observation: ${text}`,
})
