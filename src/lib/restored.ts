/** What an undo or a redo did, one line each, for the command line, the terminal and the model alike. */
import type { Restored } from '../protocol/undo.ts'
import { cleanControl } from './clean.ts'
import { plural } from './text.ts'

/** A run may have changed thousands; `--json` names them all. */
const MOST_PATHS = 50

export function renderRestored({ prompt, restored, conflicts, uncovered }: Restored, verb: string): string {
  const refused = conflicts.map(
    ({ path, why, kept }) =>
      `not ${path}: ${why}${kept === undefined ? '' : `; the other version is in ${kept}`}`,
  )
  const lines = [
    `${verb} "${prompt}": ${plural(restored.length, 'file')}`,
    ...shortened(restored.map((path) => `  ${path}`)),
    ...refused,
    ...shortened(uncovered.map((what) => `not covered: ${what}`)),
  ]
  return lines.map((line) => `${oneLine(line)}\n`).join('')
}

const shortened = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_PATHS
    ? lines
    : [...lines.slice(0, MOST_PATHS), `  … and ${lines.length - MOST_PATHS} more`]

/** A line end in a name or a prompt must not begin a line that says something else. */
const oneLine = (text: string): string => cleanControl(text.replaceAll(/[\r\n]+/g, ' '))
