/**
 * All that can tell a secret, asked together: the scanners, a person's own patterns, values that are secrets already. The
 * answer is a list of ranges that never overlap; the caller decides about the replacement.
 */
import type { SecretAction, SecretPattern } from '../../protocol/firewall.ts'
import { compileRegex } from '../../lib/regex/search.ts'
import { outsidePlaceholders, toKind } from './placeholder.ts'
import { findRandom } from './entropy.ts'
import type { Finding } from './finding.ts'
import { scanSecrets } from './scan.ts'

export type DetectorParts = {
  readonly patterns?: readonly SecretPattern[]
  /** What becomes of values that only look random. */
  readonly entropy?: 'off' | 'warn' | 'redact'
  /** Placeholders of this session are left alone. */
  readonly tag: string
  /** Places of values that are known to be secret. */
  known(text: string): readonly Finding[]
}

export type Detection = {
  readonly findings: readonly Finding[]
  /** The name of a pattern that lets no text out. */
  readonly blockedBy?: string
  /** Places a person should know of. */
  readonly warnings: readonly Finding[]
}

export type Detector = {
  /** For streams and logs: without looking for values that would only be warned of. */
  detectNow(text: string): Detection
  detect(text: string): Detection
}

export function createDetector({ patterns = [], entropy = 'warn', tag, known }: DetectorParts): Detector {
  const own = patterns.map(compilePattern)

  function detect(text: string, warns: boolean): Detection {
    const byAction = (action: SecretAction): readonly Finding[] =>
      own.filter((pattern) => pattern.action === action).flatMap((pattern) => pattern.find(text))
    const random = entropy === 'redact' || (entropy === 'warn' && warns) ? findRandom(text) : []
    const more = [...byAction('redact'), ...known(text), ...(entropy === 'redact' ? random : [])]
    const findings = joinFindings(scanSecrets(text), more)
    const [blocked] = byAction('block')
    const warned = [...byAction('warn'), ...(entropy === 'warn' ? random : [])]
    return {
      findings: outsidePlaceholders(text, findings, tag),
      warnings: apart(warned, findings),
      ...(blocked && { blockedBy: blocked.kind }),
    }
  }

  return { detectNow: (text) => detect(text, false), detect: (text) => detect(text, true) }
}

type CompiledPattern = { readonly action: SecretAction; find(text: string): readonly Finding[] }

function compilePattern({ name, regex, action = 'redact' }: SecretPattern): CompiledPattern {
  const isRegex = regex instanceof RegExp
  const search = compileRegex(isRegex ? regex.source : regex, isRegex && regex.ignoreCase)
  const kind = toKind(name)
  return { action, find: (text) => search(text).map((span) => ({ ...span, kind })) }
}

/**
 * Overlapping places become one, under the name of the one that begins first. `ordered` is, `more` need not be: sorting
 * both together would take longer than finding them.
 */
function joinFindings(ordered: readonly Finding[], more: readonly Finding[]): readonly Finding[] {
  if (more.length === 0) return ordered
  const joined: Finding[] = []
  const add = (finding: Finding): void => {
    const last = joined.at(-1)
    if (!last || finding.start >= last.end) joined.push(finding)
    else if (finding.end > last.end) joined[joined.length - 1] = { ...last, end: finding.end }
  }
  const others = more.toSorted(byPlace)
  let next = 0
  for (const finding of ordered) {
    for (let other = others[next]; other && byPlace(other, finding) < 0; other = others[++next]) add(other)
    add(finding)
  }
  for (const other of others.slice(next)) add(other)
  return joined
}

const byPlace = (a: Finding, b: Finding): number => a.start - b.start || b.end - a.end

/** Those that touch none of the others, which are in order and do not overlap. */
function apart(findings: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  let next = 0
  return findings
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
      return (others[next]?.start ?? Number.POSITIVE_INFINITY) >= end
    })
}
