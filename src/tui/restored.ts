import { plural } from '../lib/text.ts'
import type { Restored } from '../protocol/undo.ts'

const MOST = 20

/** What an undo or a redo did, for a person and for the model. */
export function renderRestored({ prompt, restored, conflicts, uncovered }: Restored, verb: string): string {
  const paths = restored.slice(0, MOST).map((path) => `  ${path}`)
  return [
    `${verb} "${prompt.replaceAll(/\s+/g, ' ')}": ${plural(restored.length, 'file')}`,
    ...paths,
    ...(restored.length > MOST ? [`  … and ${restored.length - MOST} more`] : []),
    ...conflicts.map(({ path, why }) => `not ${path}: ${why}`),
    ...uncovered.slice(0, MOST).map((what) => `not covered: ${what}`),
  ].join('\n')
}
