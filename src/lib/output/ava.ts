/** ava: `✘ [fail]: name` while it runs, then a rule and each failure under its name. */
import { isBlank, ReadingDraft, type Reading } from './reading.ts'

const FAILED = /^\s*[✘✖×] \[fail\]: (.+)$/
const BROKEN =
  /^\s*[✘✖×] (.+ exited.*|No tests found.*|.+ (?:could not|failed).*)$|^\s*Uncaught exception in (\S+)/
const PASSED = /^\s*(?:[✔✓] |- \[(?:skip|todo)\])/
const COUNT =
  /^\s*(\d+) tests? (passed|failed|skipped|todo)|^\s*(\d+) (?:uncaught exceptions?|unhandled rejections?)/

export function readAva(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  const names: string[] = []
  const sums = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    const failed = FAILED.exec(line)
    const count = COUNT.exec(line)
    if (failed) {
      names.push(failed[1]?.trim() ?? '')
      draft.drop(index)
    } else if (count) {
      draft.close(index)
      const word = count[2] ?? 'broken'
      sums.set(word, (sums.get(word) ?? 0) + Number(count[1] ?? count[3]))
      draft.drop(index)
    } else if (/^\s*─+\s*$/.test(line) && names.length > 0) {
      draft.close(index)
      draft.drop(index)
    } else if (BROKEN.test(line)) {
      draft.open(index, undefined)
    } else if (isHeading(lines, index, names)) {
      draft.open(index + 1, line.trim())
      draft.drop(index)
    } else if (PASSED.test(line) && !draft.isOpen) draft.drop(index)
  }
  if (names.length === 0 && !sums.has('broken')) return undefined
  const failed = sums.get('failed') ?? 0
  const skipped = (sums.get('skipped') ?? 0) + (sums.get('todo') ?? 0)
  const passed = sums.get('passed')
  // It says how many passed only where all did.
  const total = passed === undefined ? {} : { total: failed + passed + skipped }
  if (sums.size > 0) draft.counts.push({ noun: 'test', failed, ...total, ...(skipped > 0 && { skipped }) })
  return draft.end(lines.length)
}

/** A name alone on its line; while running, what went wrong stood behind it. */
function isHeading(lines: readonly string[], at: number, names: readonly string[]): boolean {
  const text = lines[at]?.trim() ?? ''
  return (
    text !== '' &&
    isBlank(lines[at + 1]) &&
    names.some((name) => name === text || name.startsWith(`${text} `))
  )
}
