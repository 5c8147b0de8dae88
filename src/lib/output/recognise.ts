/**
 * Which tools printed the lines, and what they say together. Recognisers are ordered by how exactly they know their
 * tool; a line that one of them claims is not claimed again, so that a test's own stack trace appears once.
 */
import { isObject, readJson } from '../json.ts'
import { readAva } from './ava.ts'
import { readCargo } from './cargo.ts'
import { readDiagnostics } from './diagnostics.ts'
import { readEslint } from './eslint.ts'
import { readGo } from './go.ts'
import { readJest } from './jest.ts'
import { readMaven } from './maven.ts'
import { readNodeSpec } from './node-spec.ts'
import { readNumbered } from './numbered.ts'
import { readPytest } from './pytest.ts'
import type { Count, Finding, Reading, Recogniser } from './reading.ts'
import { readTap } from './tap.ts'
import { readTraces } from './traces.ts'
import { readUnittest } from './unittest.ts'
import { readVitest } from './vitest.ts'

const RECOGNISERS: readonly Recogniser[] = [
  readVitest,
  readJest,
  readPytest,
  readUnittest,
  readNodeSpec,
  readTap,
  readNumbered,
  readAva,
  readMaven,
  readGo,
  readCargo,
  readEslint,
  readDiagnostics,
  readTraces,
]

export function recognise(lines: readonly string[]): Reading | undefined {
  const readings = RECOGNISERS.map((read) => read(lines)).filter((reading) => reading !== undefined)
  if (readings.length === 0) return undefined
  const claimed = new Set<number>()
  const findings: Finding[] = []
  const counts: Count[] = []
  for (const reading of readings) {
    const free = reading.findings.filter((finding) => !isClaimed(finding, claimed))
    for (const finding of free) findings.push(finding)
    // "Found 3 errors." is said by many tools: it counts for the one whose errors were found.
    counts.push(...reading.counts.filter(({ noun }) => noun !== 'error' || free.length > 0))
    for (const { from, to } of free) for (let line = from; line < to; line++) claimed.add(line)
  }
  const dropped = new Set(readings.flatMap((reading) => reading.dropped))
  for (const [index, line] of lines.entries()) if (WRAPPER.test(line)) dropped.add(index)
  return {
    findings: findings.toSorted((one, other) => one.from - other.from),
    counts: added(counts),
    dropped: [...dropped].filter((line) => !claimed.has(line)),
  }
}

/** What npm and its like print around the command they run. */
const WRAPPER =
  /^> \S|^npm (?:ERR!|error) (?:Test failed|code |errno |path |command |Lifecycle |workspace |location |A complete log|in workspace|\s*\/)|^npm (?:ERR!|error)\s*$| ELIFECYCLE |^error Command failed with exit code|^info Visit https:\/\/yarnpkg|^npm notice|^\s*[·.xXF,!*-]{10,}$/

/** Also where it begins with lines that no one knows: they only stand before what another tool has read. */
function isClaimed({ from, to }: Finding, claimed: ReadonlySet<number>): boolean {
  for (let line = from; line < to; line++) if (claimed.has(line)) return true
  return false
}

/** Counts of the same kind add up: one command may run several programs of tests. */
function added(counts: readonly Count[]): readonly Count[] {
  const byNoun = new Map<string, Count>()
  for (const count of counts) {
    const known = byNoun.get(count.noun)
    byNoun.set(count.noun, known ? sumOf(known, count) : count)
  }
  return [...byNoun.values()]
}

const sumOf = (one: Count, other: Count): Count => ({
  noun: one.noun,
  failed: one.failed + other.failed,
  ...(one.total !== undefined && other.total !== undefined && { total: one.total + other.total }),
  ...((one.skipped ?? other.skipped) !== undefined && { skipped: (one.skipped ?? 0) + (other.skipped ?? 0) }),
  ...((one.isTally || other.isTally) && { isTally: true }),
})

/** `[test] `, `web:test: ` and `web | ` in front of nearly every line: several programs wrote at once. */
const PREFIX =
  /^(?:\[(?!INFO|ERROR|WARNING|WARN|DEBUG|TRACE|gw)[\w@/:.-]{1,40}\] |[\w@/.-]{1,40}:[a-z][\w:-]{0,30}: |[\w@/.-]{1,40} +\| )/
const MOSTLY = 0.8

/** The lines of each program together, without what was put in front of them; other output stays as it is. */
export function unmixed(lines: readonly string[]): readonly string[] {
  const filled = lines.filter((line) => line.trim() !== '')
  const events = filled.filter((line) => GO_EVENT.test(line)).length
  if (events > 0 && events >= filled.length * MOSTLY) return fromGoEvents(filled)
  if (filled.some((line) => /^\s*# Subtest: /.test(line))) return lines.map(withoutComment)
  const prefixed = filled.filter((line) => PREFIX.test(line)).length
  if (prefixed < 4 || prefixed < filled.length * MOSTLY) return lines
  const streams = new Map<string, string[]>()
  for (const line of lines) {
    const prefix = PREFIX.exec(line)?.[0] ?? ''
    const texts = streams.get(prefix) ?? []
    texts.push(line.slice(prefix.length))
    streams.set(prefix, texts)
  }
  return [...streams.values()].flat()
}

/** node:test writes the output of a test as a TAP comment. */
const withoutComment = (line: string): string =>
  /^# (?!Subtest: |(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$)/.test(line)
    ? line.slice(2)
    : line

const GO_EVENT = /^\{"(?:Time|Action|ImportPath)":.*"Action":"/

/** `go test -json`: what each package printed, as it would be without. */
function fromGoEvents(lines: readonly string[]): readonly string[] {
  const packages = new Map<string, string>()
  for (const line of lines) {
    const event = readJson(line)
    const fields = event.ok && isObject(event.value) ? event.value : {}
    const key = String(fields['Package'] ?? fields['ImportPath'] ?? '')
    const output = typeof fields['Output'] === 'string' ? fields['Output'] : event.ok ? '' : `${line}\n`
    packages.set(key, (packages.get(key) ?? '') + output)
  }
  return [...packages.values()].flatMap((text) => text.replace(/\n$/, '').split('\n'))
}
