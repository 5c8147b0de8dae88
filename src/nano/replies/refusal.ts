/** What nano says when it does not act: one line, what it can do, and the command that gets a larger model. */
import { clip } from '../../lib/text.ts'
import type { Reason } from '../weights/format.ts'
import type { NanoCall, NanoStep } from '../steps/run.ts'

const CAN =
  'Covey’s built-in model can read, list and search files, write or change text you spell out, and run commands you name'
const LARGER = '`covey doctor` looks for a larger one, `covey --base-url URL --model NAME` uses it.'

const BECAUSE: Readonly<Record<Reason, string>> = {
  'too-hard': 'This needs more than the built-in model can do.',
  'no-tool': 'There is no tool for this here.',
  chat: 'The built-in model does not chat.',
  'not-asked': 'Nothing was done: the request does not ask for anything to be done now.',
  unclear: 'It is not clear which file, text or command is meant.',
}

export const refusal = (reason: Reason): string => `${BECAUSE[reason]} ${CAN}; ${LARGER}`

/** It understood something, and a wrong write or command is worse than none. */
export const doubt = (call: NanoCall): string =>
  `Not done, because it is not certain that this is meant: ${shown(call)}. Say it with the exact path, text or command; ${LARGER}`

/** To a question over the API that was answered with no. Earlier steps of the run may have been made. */
export const declined = 'It was not done.'

export const missing = (path: string): string =>
  `Not done: there is no ${path} here. Say another name, or ask which files there are.`

/** A call that a rule or the user did not allow, and why. */
export const notDone = ({ call, text }: NanoStep): string => `Not done: ${shown(call)}. ${text}`

/** Parts of the request for which nothing was called. */
export const leftUndone = (clauses: readonly string[]): string =>
  clauses.map((clause) => `\n\nNot done: “${clip(clause.replaceAll(/\s+/g, ' '), 120)}”.`).join('')

const shown = ({ name, input }: NanoCall): string =>
  clip([name, ...Object.values(input).map(written)].join(' ').replaceAll(/\s+/g, ' '), 120)

const written = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

export const tooLong = `The request is too long to be read whole by the built-in model, so nothing was changed. ${CAN}; ${LARGER}`
