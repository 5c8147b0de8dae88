/** What speaks for a command after another one that was run for the same request. Pure. */
import { shapeOfArgument } from './accepts.ts'
import type { Command } from './ask.ts'

/** How it goes on from what was run before: with another value of the same shape, or as it was. */
export function againMarks({ command, argument }: Command, ran: string): string[] {
  const own = shapeOfArgument(command.split(' ').at(-1) ?? '')
  const before = shapeOfArgument(ran.split(' ').at(-1) ?? '')
  const kind = argument === undefined ? 'none' : 'some'
  const isSame = command === ran
  return [
    'again',
    `again arg:${kind} alike:${own === before}`,
    `again same:${isSame}`,
    `again count:${command.split(' ').length - ran.split(' ').length}`,
  ]
}
