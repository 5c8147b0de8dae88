import { AppError } from '../protocol/error.ts'

/** The second word of a command: `ls` of `covey memory ls`. One that is not there is named with those that are. */
export function requireAction<Action>(
  command: string,
  actions: Readonly<Record<string, Action>>,
  name: string,
): Action {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action !== undefined) return action
  const known = Object.keys(actions).join(', ')
  throw new AppError('config-invalid', `unknown action "${name}" of covey ${command}; there are ${known}.`)
}

/** A failed tool call is a usage error when a person made it on the command line. */
export const asUsage = <T>(acting: Promise<T>): Promise<T> =>
  acting.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'tool-failed')
      throw new AppError('config-invalid', error.message, { cause: error })
    throw error
  })
