/**
 * TAP, of node:test, tape, node-tap, ava and others: `not ok 3 - name` with details below. A test that failed only because
 * one inside it did is no finding of its own.
 */
import { type Finding, indentOf, ReadingDraft, type Reading } from './reading.ts'

const POINT = /^(\s*)(not ok|ok)\b(?: +(\d+))?(?: +- +| +)?(.*)$/
const DIRECTIVE = /\s#\s*(?:skip|todo)\b.*$/i
const SUMMARY = /^# (tests|pass|fail|cancelled|skipped|todo|failed)\b:? +(\d+)\s*$/
/** node-tap's last line. */
const TOTALS = /^(?:# )?\{ total: (\d+), pass: \d+(?:, fail: (\d+))?.*\}$/

export function readTap(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const sums = new Map<string, number>()
  const hasSubtests = lines.some((line) => SUBTEST.test(line))
  const failed: number[] = []
  let parents: { readonly indent: number; readonly name: string }[] = []
  let points = 0
  for (const [index, line] of lines.entries()) {
    const point = POINT.exec(line)
    const summary = SUMMARY.exec(line)
    if (point) {
      const [, space = '', verdict, , rest = ''] = point
      points++
      draft.close(index)
      const indent = space.length
      parents = parents.filter((parent) => parent.indent < indent)
      const isFailure = verdict === 'not ok' && !DIRECTIVE.test(rest)
      const isParent = failed.some((other) => other > indent)
      while ((failed.at(-1) ?? -1) > indent) failed.pop()
      if (isFailure) failed.push(indent)
      if (isFailure && !isParent) {
        const name = rest.replace(/ # time=.*$|\s*\{$/, '').trim()
        draft.open(index + 1, [...parents.map((parent) => parent.name), name].join(' > '))
      }
      draft.drop(index)
    } else if (summary) {
      draft.close(index)
      sums.set(summary[1] ?? '', (sums.get(summary[1] ?? '') ?? 0) + Number(summary[2]))
      draft.drop(index)
    } else if (TOTALS.test(line)) {
      draft.close(index)
      const [, total, failures = '0'] = TOTALS.exec(line) ?? []
      draft.counts.push({ noun: 'test', failed: Number(failures), total: Number(total) })
      draft.drop(index)
    } else if (SUBTEST.test(line)) {
      draft.close(index)
      const indent = indentOf(line)
      parents = [
        ...parents.filter((parent) => parent.indent < indent),
        { indent, name: line.replace(SUBTEST, '').trim() },
      ]
      draft.drop(index)
    } else if (PLAIN.test(line) || line.startsWith('# ')) {
      draft.close(index)
      draft.drop(index)
      // tape names its tests in comments; node:test prints there what a test printed.
      if (!hasSubtests && !PLAIN.test(line)) parents = [{ indent: -1, name: line.slice(2).trim() }]
    } else if (/^\s*(?:---|\.\.\.)$/.test(line)) draft.drop(index)
    else if (!draft.isOpen && points > 0 && /^\s+\S/.test(line)) draft.drop(index)
  }
  if (points === 0) return undefined
  addCount(draft, sums)
  const reading = draft.end(lines.length)
  return reading && { ...reading, findings: reading.findings.map((finding) => ended(finding, lines)) }
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
