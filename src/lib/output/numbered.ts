/**
 * Runners that list their failures as `1) name` at the end: mocha, jasmine, rspec, phpunit. The list begins at a heading
 * of its own; the same numbers in the tree above it are progress.
 */
import { indentOf, isBlank, ReadingDraft, type Reading } from './reading.ts'

const HEADING = /^\s*(?:\d+ failing|Failures:|There (?:was|were) \d+ (?:failure|error)s?:)\s*$/
const ENTRY = /^ {0,2}(\d+)\) (\S.*)$/
const PASSED_LINE = /^\s+(?:[✓✔√·]|[-,] |\d+\) )/
const MOCHA = /^\s*(\d+) (passing|pending|failing)\b(?: \(.*\))?\s*$/
const SPECS =
  /^(\d+) (?:specs?|examples?), (\d+) failures?(?:, (\d+) (?:pending(?: specs?)?|errors? occurred.*))?/
const PHPUNIT = /^Tests: (\d+), Assertions: \d+(.*)\.\s*$/
const ENDS =
  /^(?:Executed \d+ of|Finished in |Failed examples:|Ran \d+ of|Incomplete: |Randomized with|rspec \.\/|FAILURES!|ERRORS!|npm )/

export function readNumbered(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const mocha = new Map<string, number>()
  let isList = false
  let isKnown = false
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const count = MOCHA.exec(line)
    const entry = isList ? ENTRY.exec(line) : undefined
    if (count) mocha.set(count[2] ?? '', (mocha.get(count[2] ?? '') ?? 0) + Number(count[1]))
    if (count || HEADING.test(line)) {
      draft.close(index)
      isList = HEADING.test(line)
      draft.drop(index)
    } else if (entry) {
      isKnown = true
      const { title, next } = titleOf(lines, index)
      draft.close(index)
      draft.open(next, title)
      for (let at = index; at < next; at++) draft.drop(at)
      index = next - 1
    } else if (addSpecs(draft, line)) {
      isKnown = true
      draft.close(index)
      isList = false
      draft.drop(index)
    } else if (/^Pending:$/.test(line)) {
      draft.close(index)
      isList = false
    } else if (ENDS.test(line)) draft.close(index)
    else if (!isList && PASSED_LINE.test(line)) draft.drop(index)
  }
  addMocha(draft, mocha)
  return isKnown || mocha.size > 0 ? draft.end(lines.length) : undefined
}

/** mocha writes suite and test one below the other, and a colon after the last. */
function titleOf(lines: readonly string[], at: number): { readonly title: string; readonly next: number } {
  const first = (ENTRY.exec(lines[at] ?? '')?.[2] ?? '').trim()
  const names = [first]
  let next = at + 1
  while (next < lines.length && next < at + DEEPEST && !names.at(-1)?.endsWith(':')) {
    const line = lines[next] ?? ''
    if (isBlank(line) || indentOf(line) < 5) break
    names.push(line.trim())
    next++
  }
  const isMocha = names.at(-1)?.endsWith(':') ?? false
  return isMocha
    ? { title: names.join(' > ').replace(/:$/, ''), next }
    : { title: first.replace(/:$/, ''), next: at + 1 }
}

const DEEPEST = 12

function addMocha(draft: ReadingDraft, counts: ReadonlyMap<string, number>): void {
  const passed = counts.get('passing')
  if (passed === undefined) return
  const failed = counts.get('failing') ?? 0
  const skipped = counts.get('pending') ?? 0
  draft.counts.push({
    noun: 'test',
    failed,
    total: passed + failed + skipped,
    ...(skipped > 0 && { skipped }),
  })
}

function addSpecs(draft: ReadingDraft, line: string): boolean {
  const specs = SPECS.exec(line)
  if (specs) draft.counts.push({ noun: 'test', failed: Number(specs[2]), total: Number(specs[1]) })
  const phpunit = PHPUNIT.exec(line)
  if (phpunit) {
    const bad = [...(phpunit[2] ?? '').matchAll(/(?:Errors|Failures): (\d+)/g)]
    const failed = bad.reduce((sum, [, number]) => sum + Number(number), 0)
    draft.counts.push({ noun: 'test', failed, total: Number(phpunit[1]) })
  }
  return specs !== null || phpunit !== null
}
