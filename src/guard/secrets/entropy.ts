/** Values that look random and have no name. Often hashes and ids, so they are reported and not replaced. */
import type { Finding } from './finding.ts'
import { entropyOf, looksGenerated } from './value.ts'

export function findRandom(text: string): readonly Finding[] {
  if (text.length > MAX_LENGTH) return []
  return Array.from(text.matchAll(TOKEN), ({ 0: value, index }) => ({
    start: index,
    end: index + value.length,
    kind: 'random-value',
  })).filter(({ start, end }) =>
    isSuspicious(text.slice(start, end), text.slice(Math.max(0, start - 80), start)),
  )
}

const MAX_LENGTH = 1_048_576
const TOKEN = /[A-Za-z0-9+/=_-]{24,}/g
const MIN_ENTROPY = 4
const MAX_TOKEN = 256

const isSuspicious = (value: string, before: string): boolean =>
  value.length <= MAX_TOKEN &&
  looksGenerated(value) &&
  entropyOf(value) >= MIN_ENTROPY &&
  !SAFE.some((pattern) => pattern.test(value)) &&
  !IN_ADDRESS.test(before)

/** Ids, hashes, dates, paths, fingerprints. */
const SAFE: readonly RegExp[] = [
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i,
  /^sha\d{1,3}-/,
  /^\d{4}-\d{2}-\d{2}/,
  /(?:^|\/)[a-z]{3,}(?:\/[a-z][\w-]*){1,}/,
  /^(?:ssh-|AAAA[BCE]3NzaC1)/,
]

/** The rest of a URL, a data URI, or a hash that says so. */
const IN_ADDRESS = /(?:https?:\/\/\S*|data:[\w/+.-]+;base64,|sha\d{1,3}[-:=])$/
