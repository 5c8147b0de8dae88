/** `CMD: <command>` lines, for models that can only propose. Reading them gives a proposal, never a call. */
import { defineFamily } from './define-family.ts'
import { isString } from './grammar-rules.ts'
import { objectOf } from './shape.ts'
import { propertiesOf } from './tool-book.ts'

export const cmd = defineFamily({
  name: 'cmd',
  models: /(?!)/,
  shape: {
    trigger: 'CMD:',
    write({ name, input }) {
      const { command } = objectOf(input)
      return `CMD: ${typeof command === 'string' ? command : `${name} ${input}`}`
    },
    grammar: (tool, rules) =>
      Object.values(propertiesOf(tool)).some(isString)
        ? `${rules.literal('CMD: ')} ${rules.textUntil('\n')}`
        : '"CMD:"',
  },
  markers: [],
  result: ({ text }) => text,
})
