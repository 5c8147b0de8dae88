/** node:test's spec reporter: a tree while it runs, counts as `ℹ fail 1`, and `✖ failing tests:` with the details at the end. */
import { indentOf, linesOf, ReadingDraft, type Reading, withoutRepeats } from './reading.ts'

const COUNT = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)\s*$/
const TEST = /^(\s*)([✔✖▶﹣⚠]) (.+?)(?: \([\d.]+ ?m?s\))?( #.*)?$/u

export function readNodeSpec(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const sums = new Map<string, number>()
  let isSummary = false
  let summary = Infinity
  let place: string | undefined
  for (const [index, line] of lines.entries()) {
    const count = COUNT.exec(line)
    const test = TEST.exec(line)
    if (count) {
      draft.close(index)
      isSummary = false
      sums.set(count[1] ?? '', (sums.get(count[1] ?? '') ?? 0) + Number(count[2]))
      draft.drop(index)
    } else if (line.startsWith('✖ failing tests:')) {
      draft.close(index)
      isSummary = true
      summary = index
      draft.drop(index)
    } else if (isSummary && /^test at \S/.test(line)) {
      draft.close(index)
      place = line.slice('test at '.length).trim()
      draft.drop(index)
    } else if (isSummary && test?.[2] === '✖' && test[1] === '') {
      draft.open(index + 1, place === undefined ? test[3] : `${test[3]} (${place})`)
      place = undefined
      draft.drop(index)
    } else if (!isSummary && test) {
      draft.drop(index)
      // Node prints the details here as well up to version 20, and only here where a run is cut short.
      if (test[2] === '✖') draft.open(index + 1, test[3] ?? '')
      else draft.close(index)
    } else if (!isSummary && draft.isOpen && indentOf(line) === 0 && line !== '') draft.close(index)
  }
  if (!sums.has('tests') && draft.findings.length === 0) return undefined
  return settled(draft, { sums, summary }, lines)
}

function settled(
  draft: ReadingDraft,
  { sums, summary }: { readonly sums: ReadonlyMap<string, number>; readonly summary: number },
  lines: readonly string[],
): Reading | undefined {
  const total = sums.get('tests')
  const skipped = (sums.get('skipped') ?? 0) + (sums.get('todo') ?? 0)
  if (total !== undefined) {
    const failed = (sums.get('fail') ?? 0) + (sums.get('cancelled') ?? 0)
    draft.counts.push({ noun: 'test', failed, total, ...(skipped > 0 && { skipped }) })
  }
  const reading = draft.end(lines.length)
  if (!reading) return undefined
  // Suites that failed because of a test in them have nothing of their own to say.
  const telling = reading.findings.filter(({ from, to }) => hasOwnError(lines.slice(from, to)))
  const summed = telling.filter(({ from }) => from > summary)
  const findings = summed.length > 0 ? summed : telling
  const rest = reading.findings.filter((finding) => !findings.includes(finding))
  const unique = withoutRepeats(findings)
  return {
    ...reading,
    findings: unique.findings,
    dropped: [...reading.dropped, ...linesOf(rest), ...linesOf(unique.repeats)],
  }
}

function hasOwnError(lines: readonly string[]): boolean {
  const text = lines.filter((line) => line.trim() !== '')
  return text.length > 0 && !(text.length === 1 && /subtests? failed/.test(text[0] ?? ''))
}
