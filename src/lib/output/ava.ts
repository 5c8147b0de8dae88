/** ava: `✘ [fail]: name` while it runs, then a rule and each failure under its name. */
import { isBlank, ReadingDraft, type Reading } from './reading.ts'

const FAILED = /^\s*[✘✖×] \[fail\]: (.+?)(?: \(.*?\))?(?: (?:Error thrown in test|Rejected promise.*|.*Error.*|Test finished.*))?$/
const BROKEN = /^\s*[✘✖×] (.+ exited.*|No tests found.*|.+ (?:could not|failed).*)$|^\s*Uncaught exception in (\S+)/
const PASSED = /^\s*(?:[✔✓] |- \[(?:skip|todo)\])/
const COUNT = /^\s*(\d+) tests? (passed|failed|skipped|todo)|^\s*(\d+) (?:uncaught exceptions?|unhandled rejections?)/

export function readAva(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const names = new Set<string>()
  const sums = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    const failed = FAILED.exec(line)
    const count = COUNT.exec(line)
    if (failed) {
      names.add(nameOf(failed[1] ?? ''))
      draft.drop(index)
    } else if (count) {
      draft.close(index)
      const word = count[2] ?? 'broken'
      sums.set(word, (sums.get(word) ?? 0) + Number(count[1] ?? count[3]))
      draft.drop(index)
    } else if (/^\s*─+\s*$/.test(line) && names.size > 0) {
      draft.close(index)
      draft.drop(index)
    } else if (BROKEN.test(line)) {
      draft.open(index, undefined)
    } else if (names.has(line.trim()) && isBlank(lines[index + 1])) {
      draft.open(index + 1, line.trim())
      draft.drop(index)
    } else if (PASSED.test(line) && !draft.isOpen) draft.drop(index)
  }
  if (names.size === 0 && !sums.has('broken')) return undefined
  const failed = sums.get('failed') ?? 0
  const skipped = (sums.get('skipped') ?? 0) + (sums.get('todo') ?? 0)
  const total = failed + (sums.get('passed') ?? 0) + skipped
  if (sums.size > 0) draft.counts.push({ noun: 'test', failed, total, ...(skipped > 0 && { skipped }) })
  return draft.end(lines.length)
}

/** Without what a failed expectation puts behind the name on the same line. */
const nameOf = (text: string): string => text.trim()
