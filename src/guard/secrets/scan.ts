/**
 * Finds secrets in one pass. Each finder names the letters its secrets begin with; the pass looks at two letters at a
 * time and wakes only the finders that could fit. Finders walk a bounded distance, so the time is linear whatever the
 * text.
 */
import { assignmentFinders } from './assignment.ts'
import { encodedBlockFinder, privateKeyFinder } from './block.ts'
import type { Finder, Finding } from './finding.ts'
import { encodedKeyFinders, keyFinders } from './key.ts'
import { codesOf } from './letters.ts'
import { shapeFinders } from './shape.ts'
import { urlFinder } from './url.ts'

/** In order, never overlapping. */
export function scanSecrets(text: string): readonly Finding[] {
  const codes = codesOf(text)
  const findings: Finding[] = []
  let end = 0
  for (let at = 0; at < codes.length; at++) {
    if (wakes[codes[at] ?? 0] !== 1) continue
    const finding = findAt(text, at)
    if (!finding || finding.start < end) continue
    findings.push(finding)
    end = finding.end
    at = end - 1
  }
  return findings
}

function findAt(text: string, at: number): Finding | undefined {
  const second = text.charCodeAt(at + 1)
  const list = table[text.charCodeAt(at) * 128 + (second < 128 ? second : 0)]
  if (!list) return undefined
  for (const finder of list) {
    // The table has looked at two letters.
    const isThere = finder.anchor.length < 3 || text.startsWith(finder.anchor, at)
    const finding = isThere ? finder.find(text, at) : undefined
    if (finding) return finding
  }
  return undefined
}

const finders: readonly Finder[] = [
  privateKeyFinder,
  encodedBlockFinder,
  urlFinder,
  ...keyFinders,
  ...encodedKeyFinders,
  ...shapeFinders,
  ...assignmentFinders,
]

/** By the first two letters; 0 as the second stands for anything beyond ASCII and for the end of the text. */
const table = tableOf(finders)

/** For each two letters the finders they may begin. Filled from the finders: asking all of them for every pair delays a start. */
function tableOf(all: readonly Finder[]): readonly (readonly Finder[] | undefined)[] {
  const lists: (Finder[] | undefined)[] = Array.from({ length: 128 * 128 })
  for (const finder of all) {
    const first = finder.anchor.charCodeAt(0)
    const seconds =
      finder.anchor.length > 1 ? [finder.anchor.charCodeAt(1)] : Array.from({ length: 128 }).keys()
    for (const second of seconds) (lists[first * 128 + second] ??= []).push(finder)
  }
  return lists
}

const wakes = Uint8Array.from({ length: 128 }, (_, code) =>
  finders.some(({ anchor }) => anchor.charCodeAt(0) === code) ? 1 : 0,
)
