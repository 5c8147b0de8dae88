/**
 * Finds values that are known to be secret, wherever they stand and in the forms a program may give them. Two letters at
 * a time rule out most places, four find the few values that may stand there, so that many cost little more than one.
 */
import type { Finding } from './secret-finding.ts'
import { judgeName } from './secret-name.ts'

type Known = { readonly kind: string; readonly value?: string }

const MAX_VALUES = 500
const START = 4

export function createValueFinder(secrets: readonly Known[]): (text: string) => readonly Finding[] {
  const forms = secrets
    .filter(({ value = '' }) => isDistinct(value))
    .slice(-MAX_VALUES)
    .flatMap(({ kind, value = '' }) => formsOf(value).map((form) => ({ kind, form })))
    .toSorted((a, b) => b.form.length - a.form.length)
  const byStart = new Map<string, { readonly kind: string; readonly form: string }[]>()
  const pairs = new Uint8Array(128 * 128)
  for (const known of forms) {
    const start = known.form.slice(0, START)
    byStart.set(start, [...(byStart.get(start) ?? []), known])
    pairs[pairAt(known.form, 0)] = 1
  }
  return forms.length === 0 ? () => [] : (text) => find(text, pairs, byStart)
}

/** Letters beyond ASCII share the place of others: it only costs a second look. */
const pairAt = (text: string, at: number): number =>
  (text.charCodeAt(at) & 127) * 128 + (text.charCodeAt(at + 1) & 127)

function find(
  text: string,
  pairs: Uint8Array,
  byStart: ReadonlyMap<string, readonly { readonly kind: string; readonly form: string }[]>,
): readonly Finding[] {
  const findings: Finding[] = []
  for (let at = 0; at + START <= text.length; at++) {
    if (pairs[pairAt(text, at)] === 0) continue
    const known = byStart.get(text.slice(at, at + START))?.find(({ form }) => text.startsWith(form, at))
    if (!known) continue
    findings.push({ start: at, end: at + known.form.length, kind: known.kind })
    at += known.form.length - 1
  }
  return findings
}

/** What an environment holds under names that are given to secrets: a program may print it in any other place. */
export const environmentSecrets = (
  env: Readonly<Record<string, string | undefined>>,
): readonly { readonly kind: string; readonly value: string }[] =>
  Object.entries(env).flatMap(([name, value = '']) => {
    const judged = judgeName(name)
    return judged && isDistinct(value) && !/^[./~]|^\w+:\/\//.test(value)
      ? [{ kind: judged.kind, value }]
      : []
  })

/** Short or wordy values would be found everywhere, long ones are found by their shape. */
const isDistinct = (value: string): boolean =>
  value.length >= 8 && value.length <= 512 && !/\s|^[A-Za-z]+$|^\d+$/.test(value)

/** In JSON, in an address, as base64 and as hex. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  // What follows the value changes the last letters of base64, so whole groups only.
  const base64 = bytes.toString('base64').slice(0, Math.floor(bytes.length / 3) * 4)
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]
  return [...new Set(base64.length < 16 ? forms : [...forms, base64, bytes.toString('hex')])]
}
