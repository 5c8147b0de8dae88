/** Ends a run that reads, finds and changes nothing it did not have before. What counts as news is decided here, once. */
import type { FailureCode } from '../../protocol/error.ts'
import type { CallRecord, StopRule } from '../trace.ts'

const PATIENCE = 8

export const noProgress: StopRule = ({ turns, turnsBefore = 0, calls, ...more }) => {
  const news = findNews(calls)
  const last = calls.findLast((_, index) => news[index])?.turn ?? turnsBefore
  const { remedies = 0, compactions = 0, forgiven = 0 } = more
  const isRefused = calls.some(({ turn, code }) => turn > last && code === 'refused')
  // Words that had to be corrected between calls that had to be refused, or results lost again: that is a circle.
  const circling = (isRefused ? Math.max(0, remedies - 1) : 0) + 2 * compactions
  // Silence right after news is asked again as long as it costs little; between calls that bring nothing it is idling.
  const isSilent = calls.every(({ turn }) => turn <= last)
  const idle = turns - last + circling - (isSilent ? forgiven : 0)
  return idle >= PATIENCE ? 'no-progress' : undefined
}

/** Tools whose calls may change anything: what they did to the project cannot be known. */
export const RUNS_CODE: ReadonlySet<string> = new Set(['run_command', 'python', 'javascript'])

/**
 * For each call whether it brought a path or a result not seen before in this run, or a write (or a command that may be
 * one) not made before. A write made twice is none: undoing and redoing leads nowhere. Waiting for a job that runs is work.
 */
export function findNews(calls: readonly CallRecord[]): readonly boolean[] {
  const seen = new Set<string>()
  const isNew = (label: string): boolean => !seen.has(label) && seen.add(label) !== undefined
  return calls.map(({ name, key, path, ok, code, resultHash, wrote, waiting }) => {
    if (code && NEVER_RAN.has(code)) return false
    if (waiting) return true
    const mayHaveWritten = wrote || (ok && RUNS_CODE.has(name))
    const marks = [
      isNew(`result ${resultHash}`),
      path !== undefined && isNew(`path ${path}`),
      mayHaveWritten && isNew(`write ${key}`),
    ]
    return marks.includes(true)
  })
}

/** What such a call came back with was said by us, not found out about the project. */
export const NEVER_RAN: ReadonlySet<FailureCode> = new Set([
  'unknown-tool',
  'bad-arguments',
  'missing-path',
  'denied',
  'refused',
  'cut',
  'interrupted',
])
