/** FireFunction v2: `functools` and a list of calls. */
import { chatTokens } from './common-markers.ts'
import { defineFamily } from './define-family.ts'
import { functools } from './phi4.ts'
import { jsonShape } from '../read/shape.ts'

export const firefunction = defineFamily({
  name: 'firefunction',
  models: /fire-?function|fireworks/i,
  shape: jsonShape({ open: ' functools', list: true }),
  markers: [functools, ...chatTokens],
  result: ({ text }) => text,
})
