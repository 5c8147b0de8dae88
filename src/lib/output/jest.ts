/** jest: `FAIL path`, one `● suite › name` for each failure, and a summary that may repeat all of them. */
import { linesOf, numbersIn, ReadingDraft, type Reading, withoutRepeats } from './reading.ts'

const FILE = /^\s*(PASS|FAIL)\s{1,2}(?!.*(?: > |\[ ))(?:\S+ )?(\S*[./]\S+)(?: \(.*\))?\s*$/
const FAILURE = /^ {2}● (.+)$/
const TEST_LINE = /^\s+[✓✕○✔✖✎] /
const SUMMARY = /^(Tests|Test Suites): +(\d.*)$/

export function readJest(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  let file = ''
  let isJest = false
  for (const [index, line] of lines.entries()) {
    const ran = FILE.exec(line)
    const failure = FAILURE.exec(line)
    const summary = SUMMARY.exec(line)
    if (ran) {
      draft.close(index)
      file = ran[2] ?? ''
      draft.drop(index)
    } else if (failure && !/^Console$|Validation Warning|Deprecation/.test(failure[1] ?? '')) {
      isJest = true
      draft.open(index + 1, [failure[1]?.trim(), file && `(${file})`].filter(Boolean).join(' '))
      draft.drop(index)
    } else if (summary) {
      draft.close(index)
      isJest = true
      addCount(draft, summary)
      draft.drop(index)
    } else if (failure || ENDS.test(line)) {
      draft.close(index)
      draft.drop(index)
    } else if (!draft.isOpen && TEST_LINE.test(line)) draft.drop(index)
  }
  const reading = isJest ? draft.end(lines.length) : undefined
  if (!reading) return undefined
  const { findings, repeats } = withoutRepeats(reading.findings)
  return { ...reading, findings, dropped: [...reading.dropped, ...linesOf(repeats)] }
}

const ENDS =
  /^(?:Summary of all failing tests|Snapshots: |Time: |Ran all test suites|Snapshot Summary|Test Suites: |Tests: |-{5,}\|)|^ › \d+ |^Jest did not exit|^A worker process has failed/

function addCount(draft: ReadingDraft, [, of, text = '']: RegExpExecArray): void {
  const numbers = numbersIn(text)
  const total = numbers.get('total')
  const failed = numbers.get('failed') ?? 0
  const skipped = (numbers.get('skipped') ?? 0) + (numbers.get('todo') ?? 0)
  if (total === undefined) return
  draft.counts.push({
    noun: of === 'Tests' ? 'test' : 'file',
    failed,
    total,
    ...(skipped > 0 && { skipped }),
  })
}
