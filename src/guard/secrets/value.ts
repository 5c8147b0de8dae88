/**
 * Whether a value looks like a secret or like an ordinary word. Names such as `password` occur in every program;
 * the value shows a real one. All of it is linear in the length of the value.
 */

/** A password a person could have chosen: short, but no plain word. */
export function looksLikePassword(value: string): boolean {
  if (value.length < MIN_PASSWORD || value.length > MAX_VALUE) return false
  const { letters, digits, symbols } = count(value)
  const isVaried = symbols > 0 ? letters + digits >= 4 : letters >= 2 && digits >= 1
  return isVaried && isMixed(value) && !TECHNICAL.test(value) && !isStandIn(value)
}

/** A generated value: letters and digits in no order a person would write. */
export function looksGenerated(value: string): boolean {
  if (value.length < MIN_GENERATED || value.length > MAX_VALUE) return false
  const { letters, digits, changes } = count(value)
  // A name may hold one digit; then the letters alone must be in disorder.
  const leastChanges = digits === 1 ? 0.3 : 0.22
  const isVaried = letters >= 2 && digits >= 1 && changes / (value.length - 1) >= leastChanges
  return isVaried && entropyOf(value) >= MIN_ENTROPY && !isStandIn(value)
}

const MIN_PASSWORD = 6
const MIN_GENERATED = 16
const MIN_ENTROPY = 3
const MAX_VALUE = 4096

/** Shannon entropy in bits per character; the first characters speak for the rest. */
export function entropyOf(value: string): number {
  const length = Math.min(value.length, SAMPLE)
  const counts = new Map<number, number>()
  for (let at = 0; at < length; at++) {
    const code = value.charCodeAt(at)
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  let bits = 0
  for (const times of counts.values()) bits -= (times / length) * Math.log2(times / length)
  return bits
}

const SAMPLE = 256

/** What people write where a secret would stand. */
export const isStandIn = (value: string): boolean => STAND_IN.test(value) || isMonotonous(value)

/** One letter over and over, in all of it or six times in a row. */
function isMonotonous(value: string): boolean {
  const length = Math.min(value.length, SAMPLE)
  let run = 1
  for (let at = 1; at < length && run < 6; at++) {
    run = value.charCodeAt(at) === value.charCodeAt(at - 1) ? run + 1 : 1
  }
  return run >= 6 || (run === value.length && run > 0)
}

const STAND_IN =
  /^(?:[$<{#]|%(?![0-9A-Fa-f]{2}))|\$\{|\{\{|^\[secret:|\*\*\*|\.\.\.|…|^(?:process\.env|os\.environ|env\.|vault:|ref:|op:\/\/)|(?:your|enter|insert|replace|change|put|add|use|set)[-_ ]?(?:me|my|your|the|a|an|it|this|here)?[-_ ]?(?:api|key|token|secret|pass|password|value|here|me)|changeit|placeholder|example\.(?:com|org)|redacted|undefined|^(?:null|none|true|false|test|dummy|fake|todo|n\/a)$|^x{3,}|0123456789|123456789|abcdefg/i

/** Words that mix letters and digits and mean a method, a version, a unit or a place in a file. */
const TECHNICAL =
  /^(?:sha-?\d+|md\d|utf-?\d+|base-?\d+|oauth-?\d?(?:\.\d)?|es\d+|e[cd]\d+|http-?\d|x\.?509|aes-?\d+.*|rsa-?\d*|h[as]\d{3}|rs\d{3}|ps\d{3}|p-?\d{3}|v\d[\d.]*.*|\d+(?:px|em|ms|s|kb|mb|gb|%)?|[a-z]+\d|[A-Z][a-z]+\d|[\d.,:+-]+|#[0-9a-f]{3,8}|.*\.(?:[cm]?[jt]sx?|json|ya?ml|md|html?|css|py|txt|pem|key|crt)|(?:\.{0,2}\/|~\/|[A-Za-z]:\\).*|\/.*\/[gimsuy]*)$/

type Counts = {
  readonly letters: number
  readonly digits: number
  readonly symbols: number
  /** How often neighbours are of different kinds; a capital that begins a word is no change. */
  readonly changes: number
}

function count(value: string): Counts {
  let letters = 0
  let digits = 0
  let symbols = 0
  let changes = 0
  let before = 0
  for (let at = 0; at < value.length; at++) {
    const group = groupOf(value.charCodeAt(at))
    if (group === LOWER || group === UPPER) letters++
    else if (group === DIGIT) digits++
    else if (group === SYMBOL) symbols++
    const isChange = group !== before && group !== 0 && before !== 0
    if (isChange && !(before === UPPER && group === LOWER)) changes++
    before = group
  }
  return { letters, digits, symbols, changes }
}

const LOWER = 1
const UPPER = 2
const DIGIT = 3
const SYMBOL = 4

/** Blanks and what joins words (`-`, `_`, `.`, `/`, `:`) belong to no group. */
const groupOf = (code: number): number => GROUPS[code] ?? 0

const GROUPS = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code)
  if (/[a-z]/.test(letter)) return LOWER
  if (/[A-Z]/.test(letter)) return UPPER
  if (/[0-9]/.test(letter)) return DIGIT
  return /[!@#$%^&+~]/.test(letter) ? SYMBOL : 0
})

/** Not just words and small numbers with something between them, as in a path, a selector or a label. */
const isMixed = (value: string): boolean =>
  /[A-Za-z0-9][@#$%^&+~!]/.test(value) || value.split(/[^A-Za-z0-9]+/).some((part) => !PLAIN_PART.test(part))

const PLAIN_PART = /^(?:[A-Za-z]*|\d{1,2})$/
