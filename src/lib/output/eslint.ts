/** eslint's default form, and those that print like it: a path on a line of its own, rows `3:7  error  text  rule` below. */
import { ReadingDraft, type Reading } from './reading.ts'

const HEADING = /^(?:[A-Za-z]:)?[^\s:"'`()<>[\]{}|,;][^:"'`()<>[\]{}|,;]*\.[A-Za-z][A-Za-z0-9]{0,7}$/
const ROW = /^\s+(\d+:\d+)\s+(error|warning|✖|⚠)\s+(\S.*)$/
const SUMMARY = /^✖ \d+ problems? \((\d+) errors?, (\d+) warnings?\)/

export function readEslint(lines: readonly string[]): Reading | undefined {
  const draft = new ReadingDraft()
  let path: string | undefined
  for (const [index, line] of lines.entries()) {
    const row = path === undefined ? undefined : ROW.exec(line)
    const summary = SUMMARY.exec(line)
    if (row) {
      const [, place, severity, text = ''] = row
      const isWarning = severity === 'warning' || severity === '⚠'
      const title = `${path}:${place} ${isWarning ? 'warning' : 'error'} ${text.replaceAll(/\s{2,}/g, '  ')}`
      draft.open(index + 1, title, isWarning)
      draft.drop(index)
    } else if (summary) {
      draft.close(index)
      draft.counts.push({ noun: 'error', failed: Number(summary[1]) })
      draft.drop(index)
    } else if (HEADING.test(line)) {
      draft.close(index)
      path = line.trim()
      if (ROW.test(lines[index + 1] ?? '')) draft.drop(index)
    } else if (line.trim() === '') {
      draft.close(index)
      path = undefined
    } else if (!/^\s/.test(line)) draft.close(index)
  }
  const reading = draft.end(lines.length)
  return reading && reading.findings.length > 0 ? reading : undefined
}
