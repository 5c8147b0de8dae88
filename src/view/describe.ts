/** Events that become one line, in words for a person. */
import type { RunEnd, RunEvent } from '../protocol/event.ts'
import type { EndItem, Item } from './view.ts'

export const describeCompaction = ({
  stage,
  before,
  after,
  window,
}: Extract<RunEvent, { type: 'compaction' }>): string =>
  `context compacted (${stage}): ${before} → ${after} of ${window} tokens`

export const describeProposal = (command: string): Item => ({ kind: 'proposal', command })

/** An answer speaks for itself, an error has said why; what can be run afterwards is always told. */
export const isShownEnd = ({ reason, runnable, changed }: RunEnd): boolean =>
  (reason !== 'answered' && reason !== 'error') || (runnable?.length ?? 0) > 0 || changed.length > 0

export const endItem = ({ reason, report, changed, runnable = [] }: RunEnd): EndItem => ({
  kind: 'end',
  reason,
  ...(report !== undefined && { report }),
  changed,
  runnable,
})
