/**
 * Finds where a JSON value ends while it arrives, valid or nearly so: strings in either quotes, raw newlines, missing
 * brackets. It only finds the end; reading and repairing the text is `lib/json.ts`.
 */
import type { Input, Step } from './input.ts'

export type JsonExtent = {
  readonly text: string
  /** closed: balanced · stopped: a stop stands ahead · cut: the reply ended · long · refused: `watch` said no */
  readonly end: 'closed' | 'stopped' | 'cut' | 'long' | 'refused'
  /** Brackets still open at the end. */
  readonly open: number
}

/** Sees the members of the call object (or of the objects of a list) as they pass; false gives up at once. */
export type Watch = (key: string, value: string | undefined) => boolean

export type ScanOptions = {
  /** Closing tags: they end the value where it is already broken, never inside a sound string. */
  readonly stops: readonly string[]
  readonly limit: number
  readonly watch?: Watch
}

const QUOTE = 34
const APOSTROPHE = 39
const BACKSLASH = 92
const NEWLINE = 10
const CLOSING_BRACE = 125
/** Where a key or a value may begin: after these an apostrophe opens a string. */
const BEFORE_VALUE = '{[,:'
/** What may stand behind a string: before these an apostrophe closes it. */
const BEHIND_VALUE = ',:}]'
const MAX_WORD = 200

/** Expects the cursor on an opening bracket. */
export function* scanJson(input: Input, options: ScanOptions): Step<JsonExtent> {
  const scan = new JsonScan(options.watch)
  const firsts = new Set(options.stops.map((stop) => stop.charCodeAt(0)))
  let text = ''
  let passed = -1
  for (;;) {
    const last = Math.min(input.text.length, input.at + options.limit - text.length)
    let index = input.at
    while (index < last && !scan.done) {
      const code = input.text.charCodeAt(index)
      if (firsts.has(code) && scan.mayStop && index !== passed) break
      scan.push(code)
      index++
    }
    const mayStop = index < last && !scan.done
    text += input.consume(index - input.at)
    if (scan.done) return { text, end: scan.refused ? 'refused' : 'closed', open: scan.depth }
    if (text.length >= options.limit) return { text, end: 'long', open: scan.depth }
    if (mayStop) {
      if ((yield* input.anyOf(options.stops)) !== undefined) return { text, end: 'stopped', open: scan.depth }
      passed = input.at
    } else if (yield* input.more()) passed = -1
    else return endOfReply(input, { text, end: 'cut', open: scan.depth }, options.stops)
  }
}

/** A string that was never closed ran over the closing tag; what stands behind that is not part of the value. */
function endOfReply(input: Input, extent: JsonExtent, stops: readonly string[]): JsonExtent {
  const found = stops.map((stop) => extent.text.indexOf(stop)).filter((index) => index !== -1)
  const at = Math.min(...found)
  if (found.length === 0 || !input.unread(extent.text.slice(at))) return extent
  return { ...extent, text: extent.text.slice(0, at), end: 'stopped' }
}

/** Whether a text, valid or nearly so, ends inside a string in either quotes. */
export function endsInString(text: string): boolean {
  const scan = new JsonScan(undefined)
  for (let index = 0; index < text.length && !scan.done; index++) scan.push(text.charCodeAt(index))
  return scan.inString
}

/** A list that was cut off, closed behind its last whole object, and what follows that; undefined where none is whole. */
export function wholeObjects(text: string): { readonly list: string; readonly rest: string } | undefined {
  const scan = new JsonScan(undefined)
  let end = 0
  for (let index = 0; index < text.length && !scan.done; index++) {
    const code = text.charCodeAt(index)
    scan.push(code)
    if (code === CLOSING_BRACE && scan.depth === 1 && !scan.inString) end = index + 1
  }
  if (!text.startsWith('[') || end === 0) return undefined
  return { list: `${text.slice(0, end)}]`, rest: text.slice(end) }
}

class JsonScan {
  depth = 0
  done = false
  refused = false
  readonly #watch: Watch | undefined
  #quote = 0
  #escaped = false
  /** An apostrophe inside a string in apostrophes: what comes next decides whether it closed it. */
  #maybeClosed = false
  /** A raw newline stood in a string: this is no sound JSON any more. */
  #loose = false
  #before = 0
  #watchDepth = 0
  #word = ''
  #key = ''

  constructor(watch: Watch | undefined) {
    this.#watch = watch
  }

  get inString(): boolean {
    return this.#quote !== 0 && !this.#maybeClosed
  }

  get mayStop(): boolean {
    return this.#quote === 0 || this.#loose || this.#maybeClosed
  }

  push(code: number): void {
    if (this.#quote === 0) this.#outside(code)
    else if (this.#maybeClosed) this.#afterApostrophe(code)
    else this.#inside(code)
  }

  #inside(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === BACKSLASH) this.#escaped = true
    else if (code === this.#quote) {
      if (code === APOSTROPHE) this.#maybeClosed = true
      else this.#closeString()
      return
    } else if (code === NEWLINE) this.#loose = true
    if (this.#watch && this.depth === this.#watchDepth && this.#word.length < MAX_WORD) {
      this.#word += String.fromCharCode(code)
    }
  }

  #afterApostrophe(code: number): void {
    if (isBlank(code)) return
    this.#maybeClosed = false
    if (!BEHIND_VALUE.includes(String.fromCharCode(code))) {
      this.#inside(code)
      return
    }
    this.#closeString()
    this.#outside(code)
  }

  #closeString(): void {
    this.#quote = 0
    const isKey = this.#before === 123 || this.#before === 44
    if (this.#watch && this.depth === this.#watchDepth) {
      if (isKey) this.#key = this.#word
      const known = this.#watch(this.#key, isKey ? undefined : this.#word)
      if (!known) this.done = this.refused = true
    }
    this.#before = QUOTE
    this.#word = ''
  }

  #outside(code: number): void {
    if (isBlank(code)) return
    const apostrophe = code === APOSTROPHE && BEFORE_VALUE.includes(String.fromCharCode(this.#before))
    if (code === QUOTE || apostrophe) {
      this.#quote = code
      this.#word = ''
      return
    }
    if (this.#watch && this.depth === this.#watchDepth) this.#bareWord(code)
    if (code === 123 || code === 91) {
      this.depth++
      if (this.depth === 1) this.#watchDepth = code === 91 ? 2 : 1
    } else if ((code === 125 || code === 93) && --this.depth <= 0) this.done = true
    if (!isLetter(code)) this.#before = code
  }

  /** A key without quotes, as JavaScript allows it. */
  #bareWord(code: number): void {
    if (isLetter(code) && this.#word.length < MAX_WORD) this.#word += String.fromCharCode(code)
    else if (code === 58 && this.#word !== '' && (this.#before === 123 || this.#before === 44)) {
      this.#key = this.#word
      if (!this.#watch?.(this.#key, undefined)) this.done = this.refused = true
    }
    if (!isLetter(code)) this.#word = ''
  }
}

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
