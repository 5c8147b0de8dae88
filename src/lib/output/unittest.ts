/** Python's unittest, and Django's: `FAIL: name` between two rules, `Ran 5 tests`, `FAILED (failures=1, errors=1)`. */
import { ReadingDraft, type Reading } from './reading.ts'

const HEAD = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)$/
const RAN = /^Ran (\d+) tests? in /
const VERDICT = /^(?:FAILED|OK)(?: \((.*)\))?$/
const PASSED = /^(?:\S.* \.\.\. (?:ok|FAIL|ERROR|skipped.*|expected failure)|[.FEsx]{2,})$/

export function readUnittest(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  let ran: number | undefined
  let isUnittest = false
  for (const [index, line] of lines.entries()) {
    const head = HEAD.exec(line)
    const count = RAN.exec(line)
    const verdict = ran === undefined ? undefined : VERDICT.exec(line)
    if (head && /^={10,}$/.test(lines[index - 1] ?? '')) {
      isUnittest = true
      draft.open(index + 1, `${head[1]}: ${head[2]}`)
      draft.drop(index)
    } else if (count) {
      draft.close(index)
      ran = (ran ?? 0) + Number(count[1])
      draft.drop(index)
    } else if (verdict && ran !== undefined) {
      isUnittest = true
      addCount(draft, ran, verdict[1] ?? '')
      ran = undefined
      draft.drop(index)
    } else if (/^={10,}$/.test(line)) {
      draft.close(index)
      draft.drop(index)
    } else if (/^-{10,}$/.test(line)) {
      if (RAN.test(lines[index + 1] ?? '')) draft.close(index)
      draft.drop(index)
    } else if (!draft.isOpen && PASSED.test(line)) draft.drop(index)
  }
  return isUnittest ? draft.end(lines.length) : undefined
}

function addCount(draft: ReadingDraft, total: number, text: string): void {
  const numberOf = (word: string): number => Number(new RegExp(`(?:^|, )${word}=(\\d+)`).exec(text)?.[1] ?? 0)
  const failed = numberOf('failures') + numberOf('errors') + numberOf('unexpected successes')
  const skipped = numberOf('skipped') + numberOf('expected failures')
  draft.counts.push({ noun: 'test', failed, total, ...(skipped > 0 && { skipped }) })
}
