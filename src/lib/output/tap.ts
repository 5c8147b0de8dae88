/**
 * TAP, of node:test, tape, node-tap, ava and others: `not ok 3 - name` with details below. A test that failed only because
 * one inside it did is no finding of its own.
 */
import { type Finding, indentOf, ReadingDraft, type Reading } from './reading.ts'

const POINT = /^(\s*)(not ok|ok) +(\d+)\b(?: +- +| +)?(.*)$/
const DIRECTIVE = /\s#\s*(?:skip|todo)\b.*$/i
const SUMMARY = /^# (tests|pass|fail|cancelled|skipped|todo|failed)\b:? +(\d+)\s*$/
/** node-tap's last line. */
const TOTALS = /^(?:# )?\{ total: (\d+), pass: \d+(?:, fail: (\d+))?.*\}$/

export function readTap(lines: readonly string[]): Reading | undefined {
  const scan = new TapScan(lines.some((line) => SUBTEST.test(line)))
  for (const [index, line] of lines.entries()) scan.add(index, line)
  const reading = scan.end(lines.length)
  return reading && { ...reading, findings: reading.findings.map((finding) => ended(finding, lines)) }
}

class TapScan {
  readonly #draft = new ReadingDraft()
  readonly #sums = new Map<string, number>()
  readonly #hasSubtests: boolean
  /** How deep those stand that failed and whose parent is still to come. */
  readonly #failed: number[] = []
  #parents: { readonly indent: number; readonly name: string }[] = []
  #points = 0

  constructor(hasSubtests: boolean) {
    this.#hasSubtests = hasSubtests
  }

  add(index: number, line: string): void {
    const draft = this.#draft
    const point = POINT.exec(line)
    if (point) {
      draft.close(index)
      this.#addPoint(index, point)
    } else if (line.startsWith('#') || line.startsWith('{') || PLAIN.test(line) || SUBTEST.test(line)) {
      draft.close(index)
      this.#addComment(line)
    } else if (!/^\s*(?:---|\.\.\.)$/.test(line)) {
      if (draft.isOpen || this.#points === 0 || !/^\s+\S/.test(line)) return
    }
    draft.drop(index)
  }

  #addPoint(index: number, [, space = '', verdict, , rest = '']: RegExpExecArray): void {
    const indent = space.length
    this.#points++
    this.#parents = this.#parents.filter((parent) => parent.indent < indent)
    const isParent = this.#failed.some((other) => other > indent)
    while ((this.#failed.at(-1) ?? -1) > indent) this.#failed.pop()
    if (verdict !== 'not ok' || DIRECTIVE.test(rest)) return
    this.#failed.push(indent)
    if (isParent) return
    const name = rest.replace(/ # time=.*$|\s*\{$/, '').trim()
    this.#draft.open(index + 1, [...this.#parents.map((parent) => parent.name), name].join(' > '))
  }

  #addComment(line: string): void {
    const [, word, number] = SUMMARY.exec(line) ?? []
    const [, total, failures = '0'] = TOTALS.exec(line) ?? []
    if (word !== undefined) this.#sums.set(word, (this.#sums.get(word) ?? 0) + Number(number))
    else if (total !== undefined) {
      this.#draft.counts.push({ noun: 'test', failed: Number(failures), total: Number(total) })
    } else if (SUBTEST.test(line)) {
      const indent = indentOf(line)
      const above = this.#parents.filter((parent) => parent.indent < indent)
      this.#parents = [...above, { indent, name: line.replace(SUBTEST, '').trim() }]
    } else if (!this.#hasSubtests && line.startsWith('# ') && !PLAIN.test(line)) {
      // tape names its tests in comments; node:test prints there what a test printed.
      this.#parents = [{ indent: -1, name: line.slice(2).trim() }]
    }
  }

  end(lines: number): Reading | undefined {
    if (this.#points === 0) return undefined
    addCount(this.#draft, this.#sums)
    return this.#draft.end(lines)
  }
}

const SUBTEST = /^\s*# Subtest:? /
const PLAIN = /^\s*(?:TAP version \d+|1\.\.\d+.*|# (?:suites|duration_ms|time)\b.*)$/

function addCount(draft: ReadingDraft, sums: ReadonlyMap<string, number>): void {
  const total = sums.get('tests')
  const failed = (sums.get('fail') ?? sums.get('failed') ?? 0) + (sums.get('cancelled') ?? 0)
  const skipped = (sums.get('skipped') ?? 0) + (sums.get('todo') ?? 0)
  if (total !== undefined) {
    draft.counts.push({ noun: 'test', failed, total, ...(skipped > 0 && { skipped }) })
  }
}

/** The details end with `...`; what follows is output of the next test. */
function ended(finding: Finding, lines: readonly string[]): Finding {
  const from = finding.from
  const first = lines[from] ?? ''
  if (first.trim() !== '---') return { ...finding, to: Math.min(finding.to, from + LONGEST) }
  const last = `${' '.repeat(indentOf(first))}...`
  for (let index = from + 1; index < finding.to; index++) {
    if (lines[index]?.trimEnd() === last) return { ...finding, from: from + 1, to: index }
  }
  return { ...finding, from: from + 1 }
}

/** Without details, what is printed next may belong to anything. */
const LONGEST = 12
