/** Lines of plain text: `TOOL: name`, `ARGUMENTS: {json}`. */
import { defineFamily } from './define-family.ts'
import { namedShape } from '../read/shape.ts'

export const plain = defineFamily({
  name: 'plain',
  models: /(?!)/,
  shape: namedShape({ open: 'TOOL: ', between: '\nARGUMENTS: ', close: '' }),
  markers: [],
  result: ({ name, text }) => `RESULT of ${name}:\n${text}`,
})
