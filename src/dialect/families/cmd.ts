/**
 * `CMD: <command>` lines, for models that can only propose. Only shell commands exist here: no tool is shown, and
 * reading a line gives a proposal, never a call.
 */
import { defineFamily } from './define-family.ts'
import { objectOf } from '../read/shape.ts'
import { propertiesOf } from '../read/tool-book.ts'

export const cmd = defineFamily({
  name: 'cmd',
  models: /(?!)/,
  shape: {
    trigger: 'CMD:',
    // A call of another tool, made by another arm, is shown as history and not as something to imitate.
    write({ name, input }) {
      const { command } = objectOf(input)
      return typeof command === 'string' ? `CMD: ${command}` : `(used ${name})`
    },
    grammar: (tool, rules) =>
      `${rules.literal('CMD: ')} ${'command' in propertiesOf(tool) ? rules.textUntil('\n') : rules.literal('#')}`,
  },
  markers: [],
  result: ({ text }) => text,
  show: () => COMMANDS_ONLY,
})

const COMMANDS_ONLY = [
  'You cannot run anything yourself. To propose a shell command, write it on a line of its own in exactly this form:',
  'CMD: command',
  'One command per line, as it would be typed into a shell; there is nothing else to call. The user sees the commands, ' +
    'decides whether they run, and sends you their output. When no command is needed, answer in plain words.',
].join('\n')
