/** A fenced block of JSON: what small coder models write when they were never taught to call. */
import { defineFamily } from './define-family.ts'
import { jsonShape } from '../read/shape.ts'

export const fenced = defineFamily({
  name: 'fenced',
  models: /qwen-?2\.5-?coder/i,
  shape: jsonShape({ open: '```json\n', close: '\n```' }),
  markers: [],
  result: ({ name, text }) => `Result of ${name}:\n\`\`\`\n${text}\n\`\`\``,
})
