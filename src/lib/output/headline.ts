/** The first line: what the tool counted, or what was found where it counted nothing. */
import { plural } from '../text.ts'
import type { Count, Reading } from './reading.ts'
import { looksLikeError } from './signs.ts'

type Printed = {
  readonly lines: readonly string[]
  /** Lines that no tool claimed. */
  readonly rest: readonly string[]
  /** The command failed. */
  readonly failed: boolean
}

export function headlineOf(reading: Reading, { lines, rest, failed }: Printed): string {
  const { counts, findings } = reading
  const isCut = lines.some((line) => /^\[… \d+ bytes left out …\]$/.test(line))
  const known = counts.filter((count) => !(isCut && count.isTally))
  const failing = known.filter((count) => count.failed > 0)
  const tests = failing.filter(({ noun, total }) => noun === 'test' && total !== undefined)
  const counted = (tests.length > 0 ? tests : failing).map(countText).join(', ')
  if (counted !== '') {
    return isElsewhere(reading, rest) ? `${counted}; what failed is not in this output` : counted
  }
  const major = findings.filter(({ isMinor }) => !isMinor)
  const what = major.every(({ title }) => title === undefined) ? 'error' : 'failure'
  if (major.length > 0) return `${isCut ? 'at least ' : ''}${plural(major.length, what)} found in the output`
  if (known.length === 0) return `${plural(findings.length, 'warning')} found in the output`
  return `${passedText(known)}${failed ? ', but the command failed' : ''}`
}

/** A run piped through `tail` counts failures that it does not show. */
const isElsewhere = ({ findings, counts }: Reading, rest: readonly string[]): boolean =>
  findings.length === 0 && counts.some(({ failed }) => failed > 0) && !rest.some(looksLikeError)

const NOUNS = { test: '', file: ' test files', package: ' packages', error: ' errors' } as const

function countText({ noun, failed, total }: Count): string {
  if (noun === 'error') return plural(failed, 'error')
  return total === undefined ? `${failed}${NOUNS[noun]} failed` : `${failed} of ${total}${NOUNS[noun]} failed`
}

function passedText(counts: readonly Count[]): string {
  const count = counts.find(({ noun }) => noun === 'test') ?? counts[0]
  if (!count || count.noun === 'error') return 'no errors'
  const { noun, total, skipped = 0 } = count
  if (total === undefined) return 'nothing failed'
  const passed = total - skipped
  return `${passed > 1 ? 'all ' : ''}${passed}${NOUNS[noun]} passed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
