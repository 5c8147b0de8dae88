/**
 * Text as it arrives, and a cursor in it. Readers are generators: where they need more text than there is, they yield
 * and go on when it has come. So a reader is written as if the whole reply were there, and no decision can depend on
 * where a chunk happened to end.
 *
 * What is consumed leaves the window; only what a reader looks at ahead of the cursor is held.
 */

/** A piece of reading that may have to wait for text. */
export type Step<T> = Generator<undefined, T, undefined>

export type Stretch = {
  readonly text: string
  /** What ended it; `undefined` when the reply or the limit did. The cursor stands before it. */
  readonly stop?: string
  readonly long: boolean
}

/** More white space than this between two pieces of a call is not looked through. */
const MAX_SPACE = 4096
const MAX_UNREAD = 1_000_000

export class Input {
  /** The window: `at` is the cursor. Both change with every consume and every yield. */
  text = ''
  at = 0
  ended = false
  #raw: string | undefined
  #unreadable = MAX_UNREAD

  feed(chunk: string): void {
    this.text = this.at === this.text.length ? chunk : this.text.slice(this.at) + chunk
    this.at = 0
  }

  /** Waits for more text; false when the reply is over. */
  *more(): Step<boolean> {
    if (this.ended) return false
    yield undefined
    return true
  }

  consume(count: number): string {
    const taken = this.text.slice(this.at, this.at + count)
    this.at += count
    if (this.#raw !== undefined) this.#raw += taken
    return taken
  }

  /** From here on consumed text is kept, so that a reader which finds no call can give it back as text. */
  mark(opener = ''): void {
    this.#raw = opener
  }

  /** Gives consumed text back, to be read again. Each character at most a few times, so that time stays linear. */
  unread(text: string): boolean {
    if (text.length > this.#unreadable) return false
    this.#unreadable -= text.length
    this.text = text + this.text.slice(this.at)
    this.at = 0
    this.#raw = this.#raw?.slice(0, this.#raw.length - text.length)
    return true
  }

  get raw(): string {
    return this.#raw ?? ''
  }

  unmark(): string {
    const raw = this.raw
    this.#raw = undefined
    return raw
  }

  /** Up to `count` characters ahead; fewer only at the end of the reply. */
  *peek(count: number): Step<string> {
    while (this.text.length - this.at < count) if (!(yield* this.more())) break
    return this.text.slice(this.at, this.at + count)
  }

  /** The character code `offset` ahead: -1 at the end of the reply, undefined while it has not come. */
  code(offset: number): number | undefined {
    const index = this.at + offset
    if (index < this.text.length) return this.text.charCodeAt(index)
    return this.ended ? -1 : undefined
  }

  /** Whether `literal` stands `offset` characters ahead; undefined while there is too little text to say. */
  ahead(literal: string, offset = 0): boolean | undefined {
    const start = this.at + offset
    if (this.text.startsWith(literal, start)) return true
    const there = this.text.length - start
    if (this.ended || there >= literal.length) return false
    return there <= 0 || literal.startsWith(this.text.slice(start)) ? undefined : false
  }

  *starts(literal: string, offset = 0): Step<boolean> {
    for (;;) {
      const found = this.ahead(literal, offset)
      if (found !== undefined) return found
      yield* this.more()
    }
  }

  *take(literal: string): Step<boolean> {
    if (!(yield* this.starts(literal))) return false
    this.consume(literal.length)
    return true
  }

  /** The longest of `literals` that stands ahead. */
  *anyOf(literals: readonly string[], offset = 0): Step<string | undefined> {
    for (;;) {
      let found: string | undefined
      let undecided = false
      for (const literal of literals) {
        const here = this.ahead(literal, offset)
        undecided ||= here === undefined
        if (here && literal.length > (found?.length ?? 0)) found = literal
      }
      if (!undecided) return found
      yield* this.more()
    }
  }

  *skipSpace(): Step<void> {
    this.consume(yield* this.space())
  }

  /** How much white space stands ahead. */
  *space(): Step<number> {
    let count = 0
    while (count < MAX_SPACE) {
      const code = this.code(count)
      if (code === undefined) yield* this.more()
      else if (isSpace(code)) count++
      else break
    }
    return count
  }

  /** The longest of `literals` ahead, white space before it left out of account. */
  *anyPast(literals: readonly string[]): Step<string | undefined> {
    return yield* this.anyOf(literals, yield* this.space())
  }

  /** Consumes white space and one of `literals`, or nothing. */
  *takePast(literals: readonly string[]): Step<string | undefined> {
    const space = yield* this.space()
    const found = yield* this.anyOf(literals, space)
    if (found !== undefined) this.consume(space + found.length)
    return found
  }

  /** Whether the reply is over but for white space. */
  *isOver(): Step<boolean> {
    const space = yield* this.space()
    return this.ended && this.at + space >= this.text.length
  }

  /** Consumes everything before the first of `stops`. */
  *until(stops: readonly string[], limit: number): Step<Stretch> {
    const longest = Math.max(...stops.map((stop) => stop.length))
    let text = ''
    for (;;) {
      const found = firstOf(this.text, stops, { from: this.at, to: this.at + limit - text.length })
      if (found) {
        text += this.consume(found.index - this.at)
        // A longer stop may begin with this one.
        if (!stops.some((stop) => this.ahead(stop) === undefined))
          return { text, stop: found.stop, long: false }
        yield* this.more()
        continue
      }
      const safe = this.ended ? this.text.length : Math.max(this.at, this.text.length - longest + 1)
      const room = limit - text.length
      if (safe - this.at >= room) return { text: text + this.consume(room), long: true }
      text += this.consume(safe - this.at)
      if (!(yield* this.more())) return { text: text + this.consume(this.text.length - this.at), long: false }
    }
  }
}

/** As `trim` sees it, so that no two parts of the reader disagree. */
export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 0xa0 && WIDE_SPACES.has(code))

const WIDE_SPACES = new Set([
  0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
  0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
])

/**
 * The first stop that begins before `to`. Looks in ever longer stretches, and no further: neither one rare stop nor a
 * short limit may cost a search through everything that is there.
 */
function firstOf(
  text: string,
  stops: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): { index: number; stop: string } | undefined {
  const longest = Math.max(...stops.map((stop) => stop.length))
  const end = Math.min(to, text.length)
  for (let size = 256, start = from; start < end; start += size, size *= 2) {
    const last = Math.min(start + size, end)
    const found = firstIn(text.slice(start, last + longest - 1), stops)
    if (found && start + found.index < last) return { ...found, index: start + found.index }
  }
  return undefined
}

function firstIn(text: string, stops: readonly string[]): { index: number; stop: string } | undefined {
  let first: { index: number; stop: string } | undefined
  for (const stop of stops) {
    const index = text.indexOf(stop)
    const earlier = first === undefined || index < first.index
    const longer = first !== undefined && index === first.index && stop.length > first.stop.length
    if (index !== -1 && (earlier || longer)) first = { index, stop }
  }
  return first
}
