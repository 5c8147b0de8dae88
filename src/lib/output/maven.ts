/** maven with surefire, and gradle: the failure of each test where it happens, counts for each class and for the whole. */
import { linesOf, ReadingDraft, type Reading, withoutRepeats } from './reading.ts'

const TESTS =
  /^(?:\[(?:ERROR|WARNING|INFO)\]\s+)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(.*)$/
const FAILED = /^(?:\[ERROR\] +)?(\S.*?)(?: -- |\s+)Time elapsed: .*<<< (?:FAILURE|ERROR)!/
const SUMMED = /^\[ERROR\] {2,}(?:\w+[.$\w]*[.:>]\S*:\d+\S* .*|\S+\.\S+(?:\(.*\))?:\d+.*|\S+[.»]\S* » .*)$/
const COMPILE = /^\[ERROR\] (\S+):\[(\d+),(\d+)\] (.*)$/
const GOAL = /^\[ERROR\] Failed to execute goal (.*)$/
const GRADLE = /^(\S.* > .*\S) FAILED$/
const GRADLE_COUNT = /^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$/
const NOISE =
  /^\[(?:INFO|WARNING|DEBUG)\](?: |$)|^\[ERROR\]\s*(?:$|-> \[Help|\[Help|To see the full|Re-run Maven|For more information|After correcting|Please refer|See (?:dump|\S+ for)|There are test failures|Failures: *$|Errors: *$)|^Download(?:ing|ed)(?: from|:)|^> Task |^:[\w:]+(?: [A-Z-]+| ?WARNING: .*)?$|^WARNING: |^openjdk version |^OpenJDK |^\* (?:Try|Get more help)\b|^Run with --|^\S.* > .*\S PASSED$|^Progress \(/
const STARTS =
  /^\[[A-Z]+\]|^Results ?:|^(?:Failed tests|Tests in error):|^Running \S+$|^> Task|^BUILD |^FAILURE: |^\* /

export function readMaven(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const total = new MavenCount()
  let isMaven = false
  for (const [index, line] of lines.entries()) {
    const failed = FAILED.exec(line) ?? GRADLE.exec(line)
    const tests = TESTS.exec(line)
    const compile = COMPILE.exec(line)
    if (tests) {
      isMaven = true
      draft.close(index)
      total.add(tests)
      draft.drop(index)
    } else if (failed) {
      isMaven = true
      draft.open(index + 1, failed[1])
      draft.drop(index)
    } else if (compile) {
      isMaven = true
      draft.open(index + 1, `${compile[1]}:${compile[2]}:${compile[3]} error: ${compile[4]}`)
      draft.drop(index)
    } else if (GRADLE_COUNT.test(line)) {
      isMaven = true
      draft.close(index)
      total.addGradle(line)
      draft.drop(index)
    } else if (GOAL.test(line)) {
      isMaven = true
      draft.open(index, undefined, true)
    } else if (/^\[ERROR\] {2,}\S/.test(line) && draft.isOpen && !SUMMED.test(line)) continue
    else if (NOISE.test(line) || SUMMED.test(line)) {
      draft.close(index)
      draft.drop(index)
    } else if (STARTS.test(line)) draft.close(index)
  }
  if (!isMaven) return undefined
  total.write(draft)
  const reading = draft.end(lines.length)
  if (!reading) return undefined
  const { findings, repeats } = withoutRepeats(reading.findings)
  return { ...reading, findings, dropped: [...reading.dropped, ...linesOf(repeats)] }
}

/** Lines with a time are of one class; those without sum up a module. */
class MavenCount {
  readonly #classes = { total: 0, failed: 0, skipped: 0 }
  readonly #modules = { total: 0, failed: 0, skipped: 0 }
  #hasModules = false
  #hasClasses = false

  add([, total, failures, errors, skipped, rest = '']: RegExpExecArray): void {
    const isClass = rest.includes('Time elapsed')
    const sums = isClass ? this.#classes : this.#modules
    if (isClass) this.#hasClasses = true
    else this.#hasModules = true
    sums.total += Number(total)
    sums.failed += Number(failures) + Number(errors)
    sums.skipped += Number(skipped)
  }

  addGradle(line: string): void {
    const [, total, failed, skipped = '0'] = GRADLE_COUNT.exec(line) ?? []
    this.#hasModules = true
    this.#modules.total += Number(total)
    this.#modules.failed += Number(failed)
    this.#modules.skipped += Number(skipped)
  }

  write(draft: ReadingDraft): void {
    if (!this.#hasModules && !this.#hasClasses) return
    const { total, failed, skipped } = this.#hasModules ? this.#modules : this.#classes
    draft.counts.push({ noun: 'test', failed, total, ...(skipped > 0 && { skipped }) })
  }
}
