/** Functionary: a tag with the name around JSON (v3.1), or a recipient on its own line (v3.2). */
import { chatTokens, functionItem } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { section } from './family.ts'
import { namedShape } from '../read/shape.ts'

const python = section('<|python_tag|>', [], { accepts: ['json', 'python'] })

export const functionary = defineFamily({
  name: 'functionary',
  models: /functionary.*(?:v3[-_.]?1|v3-llama|3\.1)/i,
  shape: namedShape({ open: '<function=', between: '>', close: '</function>' }),
  markers: [functionItem, python, ...chatTokens],
  result: ({ text }) => text,
})

export const functionary32 = defineFamily({
  name: 'functionary-v3.2',
  models: /functionary/i,
  shape: namedShape({ open: '>>>', between: '\n', close: '' }),
  markers: [functionItem, python, ...chatTokens],
  result: ({ text }) => text,
  habits: ['recipient'],
})
