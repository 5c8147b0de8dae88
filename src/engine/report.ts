/** How a run ended, in words for the person who waited: what stopped it and what to do next. */
import type { RunEndReason } from '../protocol/event.ts'
import type { Trace } from './trace.ts'

export type Ending = { readonly reason: RunEndReason; readonly report?: string }

export function endReport(trace: Trace, { reason, report }: Ending): string | undefined {
  if (report) return report
  const explain = reports[reason]
  return explain?.(trace)
}

const reports: { readonly [reason in RunEndReason]?: (trace: Trace) => string } = {
  'max-turns': ({ turns }) =>
    `Stopped after ${turns} turns. Ask it to go on, or allow more with --max-turns.`,
  'no-progress': () =>
    'Stopped: the last turns read, found and changed nothing new. Try a smaller step or a larger model.',
  repetition: () => 'Stopped: the model kept repeating itself. Try again, or use a larger model.',
  'repeated-call': ({ calls }) =>
    `Stopped: the model kept making the same call (${calls.at(-1)?.name ?? 'none'}).`,
  'patch-spiral': (trace) =>
    `Stopped: edits of ${failedPath(trace)} kept missing. Name the exact lines to change.`,
}

const failedPath = ({ calls }: Trace): string =>
  calls.findLast(({ ok, path }) => !ok && path)?.path ?? 'a file'
