/** What one file of a patch asks for. */
import { AppError } from '../../protocol/error.ts'

export type PatchStep = {
  /** The file it starts from; `undefined` makes a new one. */
  readonly from: string | undefined
  /** Where the result goes; `undefined` removes the file. */
  readonly to: string | undefined
  /** Throws `no-match` when the file does not read as the patch says. */
  apply(before: string): string
}

export const doesNotFit = (path: string, lines: readonly string[]): AppError =>
  new AppError(
    'tool-failed',
    `The patch does not fit ${path}: these lines are not there, or in more than one place:\n${lines.slice(0, 8).join('\n')}`,
    { failure: 'no-match' },
  )
