/**
 * Finds values that are known to be secret, wherever they stand and in the forms a program may give them. Two letters at
 * a time rule out most places; eight find the forms that begin so, which are in order: thousands cost little more than
 * one, also when all of them begin alike, as the keys of one kind do.
 */
import type { Finding } from './finding.ts'
import { codesOf } from './letters.ts'
import { judgeName } from './name.ts'

type Form = {
  readonly kind: string
  readonly text: string
  /** The longest of the others that this one begins with. */
  shorter: Form | undefined
}

/** No form is shorter. */
const START = 8
const MAX_VALUE = 512
/** A letter may take four bytes, and each of them three letters in an address. */
const MAX_FORM = MAX_VALUE * 12

/** Holds as many values as it is given; `SecretMap` bounds them. */
export class KnownValues {
  /** By how they begin, each list in order. */
  readonly #forms = new Map<string, Form[]>()
  /** The first letters of all of them, in order; made when it is asked for. */
  #starts: readonly string[] | undefined
  readonly #pairs = new Uint8Array(128 * 128)

  add(kind: string, value: string): void {
    if (!isDistinct(value)) return
    for (const text of formsOf(value)) {
      const start = text.slice(0, START)
      const forms = this.#forms.get(start) ?? []
      insert(forms, kind, text)
      this.#forms.set(start, forms)
      this.#starts = undefined
      this.#pairs[pairOf(text.charCodeAt(0), text.charCodeAt(1))] = 1
    }
  }

  /** Where the end of the text may be the beginning of one of them; the length of the text where it is not. */
  mayBeginAt(text: string): number {
    if (this.#forms.size === 0) return text.length
    this.#starts ??= [...this.#forms.keys()].toSorted((a, b) => (a < b ? -1 : 1))
    for (let at = 0; at < text.length; at++) if (this.#mayGoOn(text.slice(at), this.#starts)) return at
    return text.length
  }

  #mayGoOn(text: string, starts: readonly string[]): boolean {
    if (text.length >= START)
      return this.#forms.get(text.slice(0, START))?.some((form) => form.text.startsWith(text)) ?? false
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? '') < text) low = middle + 1
      else high = middle
    }
    return starts[low]?.startsWith(text) ?? false
  }

  /** In order, never overlapping; the longest that fits. */
  find(text: string): readonly Finding[] {
    if (this.#forms.size === 0) return []
    const codes = codesOf(text)
    const findings: Finding[] = []
    for (let at = 0; at + START <= codes.length; at++) {
      if (this.#pairs[pairOf(codes[at] ?? 0, codes[at + 1] ?? 0)] === 0) continue
      const forms = this.#forms.get(text.slice(at, at + START))
      const form = forms && longestAt(text, at, forms)
      if (!form) continue
      findings.push({ start: at, end: at + form.text.length, kind: form.kind })
      at += form.text.length - 1
    }
    return findings
  }
}

/** Letters beyond ASCII share the place of others: it only costs a second look. */
const pairOf = (first: number, second: number): number => (first & 127) * 128 + (second & 127)

function insert(forms: Form[], kind: string, text: string): void {
  const at = countUpTo(forms, text)
  const before = forms[at - 1]
  if (before?.text === text) return
  const shorter = longestIn(text, before)
  const form = { kind, text, shorter }
  for (const next of forms.slice(at)) {
    if (!next.text.startsWith(text)) break
    if (next.shorter === shorter) next.shorter = form
  }
  forms.splice(at, 0, form)
}

function longestAt(text: string, at: number, forms: readonly Form[]): Form | undefined {
  const [first] = forms
  if (forms.length === 1 && first) return text.startsWith(first.text, at) ? first : undefined
  const here = text.slice(at, at + MAX_FORM)
  return longestIn(here, forms[countUpTo(forms, here) - 1])
}

/** How many of them do not come after the text. */
function countUpTo(forms: readonly Form[], text: string): number {
  let low = 0
  let high = forms.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((forms[middle]?.text ?? '') <= text) low = middle + 1
    else high = middle
  }
  return low
}

/** The longest form the text begins with. The last one that does not come after the text begins with it, too. */
function longestIn(text: string, last: Form | undefined): Form | undefined {
  const shared = last ? sharedLength(text, last.text) : 0
  let form = last
  while (form && form.text.length > shared) form = form.shorter
  return form
}

function sharedLength(one: string, other: string): number {
  if (one.startsWith(other)) return other.length
  let length = 0
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
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
  value.length >= START && value.length <= MAX_VALUE && !/\s|^[A-Za-z]+$|^\d+$/.test(value)

/** In JSON, a page, an address, as base64 and as hex. */
function formsOf(value: string): ReadonlySet<string> {
  const hex = Buffer.from(value).toString('hex')
  const json = JSON.stringify(value).slice(1, -1)
  const address = encodeURIComponent(value)
  const forms = [
    value,
    json,
    json.replaceAll('/', '\\/'),
    value.replaceAll('&', '\\u0026'),
    value.replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter),
    address,
    address.replaceAll(/%../g, (code) => code.toLowerCase()),
    ...[0, 1, 2].flatMap((before) => base64At(value, before)),
    hex,
    hex.toUpperCase(),
  ]
  return new Set(forms)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Less of it would be found in other texts, too. */
const MIN_BASE64 = 12

/** The letters that are the same whatever stands around the value, with so many bytes before it. */
function base64At(value: string, before: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
  const from = Math.ceil((before * 8) / 6)
  const to = Math.floor((bytes.length * 8) / 6)
  if (to - from < MIN_BASE64) return []
  return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, to))
}
