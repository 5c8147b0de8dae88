/**
 * go test, build and vet. A failing test says what is wrong below `--- FAIL`, with -v above it, under `=== RUN` or
 * `=== NAME`; a package that does not build names its errors below `# package`.
 */
import { type Finding, indentOf, ReadingDraft, type Reading } from './reading.ts'

const RESULT = /^(\s*)--- (FAIL|PASS|SKIP|BENCH): (\S+)(?: \([\d.]+s\))?/
const SECTION = /^=== (RUN|NAME|CONT|PAUSE)\s+(\S+)/
const PACKAGE = /^(?:(ok)|(FAIL)|(\?)|---)\s+(\S+)(?:\s+(?:[\d.]+s|\(cached\)|\[.*\]).*)?$/
const ERROR = /^(?:vet: )?(?:\.{0,2}\/)?[^\s:]+\.go:\d+:\d+: \S/
const PANIC = /^(?:panic: |fatal error: |SIGSEGV|unexpected fault address|WARNING: DATA RACE)/

type Section = { readonly name: string; readonly from: number; readonly to: number }

export function readGo(lines: readonly string[]): Reading | undefined {
  const scan = new GoScan()
  for (const index of lines.keys()) scan.add(index, lines)
  return scan.end(lines)
}

class GoScan {
  readonly #draft = new ReadingDraft()
  readonly #sections = new Map<string, Section>()
  readonly #failed: { readonly name: string; readonly line: number }[] = []
  readonly #panicked = new Map<number, string>()
  readonly #packages = { failed: 0, passed: 0 }
  readonly #top = { failed: 0, passed: 0, skipped: 0 }
  #running: { readonly name: string; readonly from: number } | undefined
  #isBuild = false
  #isPanic = false
  #isVerbose = false

  add(index: number, lines: readonly string[]): void {
    const line = lines[index] ?? ''
    const result = RESULT.exec(line)
    const section = SECTION.exec(line)
    const ran = PACKAGE.exec(line)
    if (result) this.#addResult(index, result)
    else if (section) this.#addSection(index, section)
    else if (/^# \S+(?: \[\S+\])?$/.test(line)) {
      this.#leave(index)
      this.#isBuild = true
      this.#draft.drop(index)
    } else if (PANIC.test(line) && !this.#isPanic && hasGoroutine(lines, index)) {
      this.#addPanic(index, lines)
    } else if (ran && (ran[1] ?? ran[2] ?? ran[3]) !== undefined && line.includes('\t'))
      this.#addPackage(index, ran)
    else if (/^(?:FAIL|PASS|ok|exit status \d+|testing: warning: no tests to run)$/.test(line)) {
      this.#leave(index)
      this.#draft.drop(index)
    } else if (ERROR.test(line) && !this.#isPanic) {
      this.#leave(index)
      this.#isBuild = true
      this.#draft.open(index)
    } else if (this.#isBuild && !/^\s/.test(line)) this.#draft.close(index)
  }

  /** Of the test that failed just before, or of the one that runs. */
  #addPanic(index: number, lines: readonly string[]): void {
    const name = this.#running?.name ?? timedOut(lines, index)
    const isOfFailed = this.#draft.isOpen && this.#failed.at(-1)?.line === index - 1
    if (!isOfFailed) {
      this.#leave(index)
      this.#draft.open(index)
      if (name !== undefined) this.#panicked.set(index, name)
    }
    this.#isPanic = true
  }

  #leave(index: number): void {
    this.#draft.close(index)
    this.#isBuild = false
    this.#isPanic = false
    if (this.#running) {
      const { name, from } = this.#running
      const known = this.#sections.get(name)
      if (!known || index - from > known.to - known.from) this.#sections.set(name, { name, from, to: index })
    }
    this.#running = undefined
  }

  #addSection(index: number, [, word, name = '']: RegExpExecArray): void {
    this.#leave(index)
    this.#isVerbose = true
    if (word !== 'PAUSE') this.#running = { name, from: index + 1 }
    this.#draft.drop(index)
  }

  #addResult(index: number, [, space = '', verdict, name = '']: RegExpExecArray): void {
    this.#leave(index)
    this.#draft.drop(index)
    if (space === '' && !name.includes('/'))
      this.#top[verdict === 'FAIL' ? 'failed' : verdict === 'SKIP' ? 'skipped' : 'passed']++
    if (verdict !== 'FAIL') return
    this.#failed.push({ name, line: index })
    this.#draft.open(index + 1, name)
  }

  #addPackage(index: number, [, ok, fail]: RegExpExecArray): void {
    this.#leave(index)
    if (ok) this.#packages.passed++
    if (fail) this.#packages.failed++
    this.#draft.drop(index)
  }

  end(lines: readonly string[]): Reading | undefined {
    this.#leave(lines.length)
    const reading = this.#draft.end(lines.length)
    const { failed, passed } = this.#packages
    const isGo = this.#failed.length > 0 || failed + passed > 0 || this.#isVerbose
    const found = reading?.findings ?? []
    if (!isGo && found.length === 0) return undefined
    const findings = found.flatMap((finding) => {
      const panicked = this.#panicked.get(finding.from)
      if (panicked !== undefined) return [{ ...finding, title: panicked }]
      const { title } = finding
      const isTest = title !== undefined && this.#failed.some(({ name }) => name === title)
      if (!isTest || hasText(lines, finding)) return [finding]
      const section = this.#sections.get(title)
      if (section && hasText(lines, section)) return [{ title, from: section.from, to: section.to }]
      return this.#failed.some(({ name }) => name.startsWith(`${title}/`)) ? [] : [finding]
    })
    const dropped = [...this.#draft.dropped, ...this.#passedLines(lines)]
    return { findings, counts: this.#counts(findings), dropped }
  }

  /** What tests that passed logged. */
  #passedLines(lines: readonly string[]): readonly number[] {
    const failed = new Set(this.#failed.map(({ name }) => name))
    return [...this.#sections.values()]
      .filter(({ name }) => !failed.has(name))
      .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at))
      .filter((at) => indentOf(lines[at] ?? '') >= 4)
  }

  #counts(findings: readonly Finding[]): Reading['counts'] {
    // A test that took the whole program with it has no result of its own.
    const lost = [...this.#panicked.values()].filter(
      (name) => !this.#failed.some((test) => test.name === name),
    )
    const failed = this.#top.failed + lost.length
    const { passed, skipped } = this.#top
    const packages = { ...this.#packages, total: this.#packages.failed + this.#packages.passed }
    const ofPackages =
      packages.total > 0
        ? [{ noun: 'package' as const, failed: packages.failed, total: packages.total, isTally: true }]
        : []
    if (this.#isVerbose && failed + passed > 0) {
      const total = failed + passed + skipped
      const tests = { noun: 'test' as const, failed, total, isTally: true, ...(skipped > 0 && { skipped }) }
      return [tests, ...ofPackages]
    }
    const named = findings.filter(({ title }) => title !== undefined).length
    return named > 0 ? [{ noun: 'test', failed: named, isTally: true }, ...ofPackages] : ofPackages
  }
}

/** `panic: test timed out` names the test that ran. */
const timedOut = (lines: readonly string[], at: number): string | undefined =>
  lines
    .slice(at + 1, at + 4)
    .map((line) => /^\s+(\S+) \([\d.]+m?s\)$/.exec(line)?.[1])
    .find((name) => name !== undefined)

/** Others say "fatal error" as well. */
export const hasGoroutine = (lines: readonly string[], at: number): boolean =>
  lines.slice(at + 1, at + 12).some((line) => /^\s*(?:goroutine \d+|Goroutine \d+|running tests:)/.test(line))

const hasText = (lines: readonly string[], { from, to }: { readonly from: number; readonly to: number }) =>
  lines.slice(from, to).some((line) => line.trim() !== '')
