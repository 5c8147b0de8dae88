/**
 * cargo and rustc: `error[E0308]: ...` with `--> path:line:column` below it, as ruff and others write it too,
 * `---- name stdout ----` for each test that failed, and one `test result:` for each program of tests.
 */
import { isBlank, ReadingDraft, type Reading } from './reading.ts'

const HEAD = /^(?:(error|warning)(?:\[\w+\])?: |[A-Z]{1,4}\d{2,5} |[a-z]+(?:-[a-z]+)*: )\S.*$/
const ARROW = /^\s*(?:-->|::>|╭▸|┌─|╭─) /
const STDOUT = /^---- (.+) (?:stdout|stderr) ----$/
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/
const DONE =
  /^Found \d+ errors?\.$|^error: (?:could not compile|aborting due to|(?:doc)?test failed|build failed|\d+ targets? failed)|^warning: .* generated \d+ warnings?|^(?:error|warning): \d+ (?:errors?|warnings?) emitted|^For more information about|^Some errors have detailed/
const PROGRESS =
  /^(?:\s+(?:Compiling|Checking|Finished|Running|Downloading|Downloaded|Updating|Blocking|Locking|Adding|Doc-tests|Fresh|Dirty|Building)\b.*|running \d+ tests?|test .+ \.\.\. (?:ok|ignored.*|FAILED|bench:.*))$/

export function readCargo(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const sums = { passed: 0, failed: 0, ignored: 0 }
  let isTests = false
  let isBlock = false
  for (const [index, line] of lines.entries()) {
    const stdout = STDOUT.exec(line)
    const result = RESULT.exec(line)
    const head = HEAD.exec(line)
    if (stdout) {
      isBlock = false
      draft.open(index + 1, stdout[1])
      draft.drop(index)
    } else if (result) {
      draft.close(index)
      isTests = true
      sums.passed += Number(result[1])
      sums.failed += Number(result[2])
      sums.ignored += Number(result[3])
      draft.drop(index)
    } else if (DONE.test(line)) {
      draft.close(index)
      draft.drop(index)
      addErrors(draft, line)
    } else if (head && isDiagnostic(lines, index)) {
      isBlock = true
      draft.open(index, undefined, head[1] === 'warning')
    } else if (line === 'failures:' || PROGRESS.test(line)) {
      draft.close(index)
      draft.drop(index)
    } else if (isBlock && isBlank(line)) {
      draft.close(index)
      isBlock = false
    } else if (line.startsWith('note: run with `RUST_BACKTRACE')) draft.drop(index)
    else if (!draft.isOpen && /^ {4}(?:\S+|`--.*`)$/.test(line)) draft.drop(index)
  }
  if (isTests) addTests(draft, sums)
  return draft.end(lines.length)
}

/** `error: text` alone is said by every tool; rustc's has its place on the next lines. */
const isDiagnostic = (lines: readonly string[], at: number): boolean => {
  const next = [1, 2, 3].find(
    (step) => !/^\s+\S/.test(lines[at + step] ?? '') || ARROW.test(lines[at + step] ?? ''),
  )
  return next !== undefined && ARROW.test(lines[at + next] ?? '')
}

function addTests(draft: ReadingDraft, { passed, failed, ignored }: Record<string, number>): void {
  const total = (passed ?? 0) + (failed ?? 0) + (ignored ?? 0)
  const skipped = ignored ?? 0
  draft.counts.push({ noun: 'test', failed: failed ?? 0, total, ...(skipped > 0 && { skipped }) })
}

function addErrors(draft: ReadingDraft, line: string): void {
  const counted = /^Found (\d+) errors?\.$/.exec(line)
  if (counted) draft.counts.push({ noun: 'error', failed: Number(counted[1]) })
  const found = /due to (\d+|one) previous errors?/.exec(line) ?? /due to (one|previous error)/.exec(line)
  if (!line.startsWith('error: could not compile') || !found) return
  draft.counts.push({ noun: 'error', failed: /\d/.test(found[1] ?? '') ? Number(found[1]) : 1 })
}
