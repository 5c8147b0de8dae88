/** vitest: ` FAIL  path > suite > name` with message, place and code, each failure closed by a rule of `⎯`. */
import { linesOf, numbersIn, ReadingDraft, type Reading, withoutRepeats } from './reading.ts'

const FAILURE = /^\s*FAIL {2}(?:\|[^|]+\| )?(\S.*)$/
const UNHANDLED = /^⎯+ ((?:Unhandled|Uncaught) (?:Rejection|Exception|Error)|Startup Error) ⎯+$/
const RULE = /^\s*⎯{3,}/
const SUMMARY = /^\s*(Tests|Test Files|Errors) +(\d+ \w+.*)$/
const PROGRESS = /^\s*(?:[✓✔↓×❯·→] |(?:RUN|DEV) +v\d|Start at |Duration |Snapshots |Type Errors )/

export function readVitest(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  let isVitest = false
  let waiting: string[] = []
  for (const [index, line] of lines.entries()) {
    const failure = FAILURE.exec(line)
    const unhandled = UNHANDLED.exec(line)
    const summary = SUMMARY.exec(line)
    if (failure) {
      // Several names share one error when it is the same.
      draft.close(index)
      waiting.push((failure[1] ?? '').replace(/ \[ \S+ \]$/, ''))
      draft.drop(index)
    } else if (unhandled) {
      isVitest = true
      draft.open(index + 1, unhandled[1])
      draft.drop(index)
    } else if (RULE.test(line)) {
      isVitest ||= waiting.length > 0 || draft.isOpen
      draft.close(index)
      waiting = []
      draft.drop(index)
    } else if (summary) {
      isVitest = true
      draft.close(index)
      addCount(draft, summary)
      draft.drop(index)
    } else if (waiting.length > 0) {
      draft.open(index, waiting.join(', '))
      waiting = []
    } else if (!draft.isOpen && PROGRESS.test(line)) draft.drop(index)
  }
  const reading = isVitest ? draft.end(lines.length) : undefined
  if (!reading) return undefined
  const { findings, repeats } = withoutRepeats(reading.findings)
  return { ...reading, findings, dropped: [...reading.dropped, ...linesOf(repeats)] }
}

function addCount(draft: ReadingDraft, [, of, text = '']: RegExpExecArray): void {
  const numbers = numbersIn(text)
  const total = /\((\d+)\)/.exec(text)?.[1]
  const skipped = (numbers.get('skipped') ?? 0) + (numbers.get('todo') ?? 0)
  if (of === 'Errors') draft.counts.push({ noun: 'error', failed: Number.parseInt(text, 10) })
  else {
    draft.counts.push({
      noun: of === 'Tests' ? 'test' : 'file',
      failed: numbers.get('failed') ?? 0,
      ...(total !== undefined && { total: Number(total) }),
      ...(skipped > 0 && { skipped }),
    })
  }
}
