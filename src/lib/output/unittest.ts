/** Python's unittest, and Django's: `FAIL: name` between two rules, `Ran 5 tests`, `FAILED (failures=1, errors=1)`. */
import { ReadingDraft, type Reading } from './reading.ts'

const HEAD = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)$/
const RAN = /^Ran (\d+) tests? in /
const VERDICT = /^(?:FAILED|OK)(?: \((.*)\))?$/
const PASSED = /^(?:\S.* \.\.\. (?:ok|FAIL|ERROR|skipped.*|expected failure)|[.FEsx]{2,})$/

export function readUnittest(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const heads: string[] = []
  let ran: number | undefined
  let isUnittest = false
  for (const [index, line] of lines.entries()) {
    const head = HEAD.exec(line)
    const count = RAN.exec(line)
    const verdict = ran === undefined ? undefined : VERDICT.exec(line)
    if (head && /^={10,}$/.test(lines[index - 1] ?? '')) {
      isUnittest = true
      heads.push(head[2] ?? '')
      draft.open(index + 1, `${head[1]}: ${head[2]}`)
      draft.drop(index)
    } else if (count) {
      draft.close(index)
      ran = (ran ?? 0) + Number(count[1])
      draft.drop(index)
    } else if (verdict && ran !== undefined) {
      isUnittest = true
      addCount(draft, { total: ran, heads: heads.splice(0) }, verdict[1] ?? '')
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

type Ran = { readonly total: number; readonly heads: readonly string[] }

/**
 * `failures` counts each subtest that failed and errors of whole classes, `Ran` only tests: where every failure is there by
 * name, the tests among them are counted instead.
 */
function addCount(draft: ReadingDraft, { total, heads }: Ran, text: string): void {
  const numberOf = (word: string): number => Number(new RegExp(`(?:^|, )${word}=(\\d+)`).exec(text)?.[1] ?? 0)
  const counted = numberOf('failures') + numberOf('errors') + numberOf('unexpected successes')
  const skipped = numberOf('skipped') + numberOf('expected failures')
  const tests = heads.filter((head) => !/^(?:setUp|tearDown)(?:Class|Module) /.test(head))
  const names = new Set(tests.map((head) => /^\S+ \([^)]*\)/.exec(head)?.[0] ?? head))
  const isNamed = heads.length === counted
  const failed = isNamed && names.size > 0 ? names.size : counted
  const isSure = counted === 0 || (isNamed && names.size > 0)
  draft.counts.push({ noun: 'test', failed, ...(isSure && { total }), ...(skipped > 0 && { skipped }) })
}
